from inspector.core.analysis import Verdict
from inspector.core.completion import Choice, ToolCall, Usage
from inspector.dashboard.panels.extras import draw
from tests.dashboard.captured import analysis, view


def test_every_extra_is_named_by_its_place_in_the_body() -> None:
    call = ToolCall(index=0, extras={"/function/strict": True})
    last = Choice(index=2, extras={"/message/mood": "calm"}, tool_calls=(call,))
    usage = Usage(extras={"/cost": 0.1}, pointer="/x_groq/usage")
    read = analysis(Choice(index=0), last, usage=usage, extras={"/provider": "eu-2"})
    panel = draw(view(read))
    shown = {extra.pointer: "".join(s.text for s in extra.value) for extra in panel.content}
    assert shown == {
        "/provider": '"eu-2"',
        "/choices/1/message/mood": '"calm"',
        "/choices/1/message/tool_calls/0/function/strict": "true",
        "/x_groq/usage/cost": "0.1",
    }
    assert panel.count == "4"


def test_a_count_that_is_none_is_told_by_the_usage_and_no_unknown_field() -> None:
    usage = Usage(extras={"/prompt_tokens": "15", "/mood": "calm"})
    assert [extra.pointer for extra in draw(view(analysis(usage=usage))).content] == ["/usage/mood"]


def test_a_long_value_is_folded() -> None:
    (extra,) = draw(view(analysis(extras={"/padding": "x" * 1_000}))).content
    assert extra.rest_length == 702


def test_a_capture_without_extras_says_so() -> None:
    assert "openai-chat defines" in draw(view(analysis())).why_empty
    illegible = analysis(verdict=Verdict.UNREADABLE)
    assert "not valid JSON" in draw(view(illegible)).why_empty


def test_the_meaning_of_a_field_is_told_where_it_is_known_of_the_vendor() -> None:
    choice = Choice(index=0, extras={"/message/channel": "final", "/mood": "calm"})
    usage = Usage(extras={"/queue_time": 0.1})
    read = analysis(choice, usage=usage, extras={"/x_groq": {}}, vendor="groq")
    meanings = {extra.pointer: extra.meaning for extra in draw(view(read)).content}
    assert meanings == {
        "/x_groq": "Groq: the request's id, an error, and in streams the usage",
        "/choices/0/message/channel": "Groq: the part of the answer that this text belongs to",
        "/choices/0/mood": "",
        "/usage/queue_time": "Groq: time in the queue in s",
    }


def test_without_a_vendor_no_meaning_is_told() -> None:
    for vendor in (None, "nobody"):
        read = analysis(usage=Usage(extras={"/queue_time": 0.1}), vendor=vendor)
        assert [extra.meaning for extra in draw(view(read)).content] == [""]
