import json
from dataclasses import replace

from inspector.core.analysis import Verdict
from inspector.core.completion import Choice, ToolCall, Usage
from inspector.core.json.spans import JsonSpans
from inspector.dashboard.capture.extras.panel import (
    HEAVY_BYTES,
    MAX_FIELDS,
    MAX_FOLDED,
    MAX_ON_PAGE,
    draw,
)
from inspector.dashboard.capture.json.unknown_fields import MAX_EVENTS, UnknownFieldSpans
from inspector.dashboard.capture.page.capture_view import CaptureView
from tests.dashboard.capture.samples import DONE, analysis, chunk, delta, streamed, view, whole
from tests.steps import steps


def test_every_extra_is_named_by_its_place_in_the_body() -> None:
    call = ToolCall(index=0, extras={"/function/strict": True})
    last = Choice(index=2, extras={"/message/mood": "calm"}, tool_calls=(call,))
    usage = Usage(extras={"/cost": 0.1}, pointer="/x_groq/usage")
    read = analysis(Choice(index=0), last, usage=usage, extras={"/provider": "eu-2"})
    panel = draw(view(read))
    shown = {extra.pointer: "".join(s.text for s in extra.value) for extra in panel.content.fields}
    assert shown == {
        "/provider": '"eu-2"',
        "/choices/1/message/mood": '"calm"',
        "/choices/1/message/tool_calls/0/function/strict": "true",
        "/x_groq/usage/cost": "0.1",
    }
    assert panel.count == "4"


def test_a_count_that_is_none_is_told_by_the_usage_and_no_unknown_field() -> None:
    usage = Usage(extras={"/prompt_tokens": "15", "/mood": "calm"})
    assert [extra.pointer for extra in draw(view(analysis(usage=usage))).content.fields] == [
        "/usage/mood"
    ]


def test_a_long_value_is_folded() -> None:
    (extra,) = draw(view(analysis(extras={"/padding": "x" * 1_000}))).content.fields
    assert extra.rest_length == 702


def test_a_capture_without_extras_says_so() -> None:
    assert "openai-chat defines" in draw(view(analysis())).why_empty
    illegible = analysis(verdict=Verdict.UNREADABLE)
    assert "not valid JSON" in draw(view(illegible)).why_empty


def test_the_meaning_of_a_field_is_told_where_it_is_known_of_the_vendor() -> None:
    choice = Choice(index=0, extras={"/message/channel": "final", "/mood": "calm"})
    usage = Usage(extras={"/queue_time": 0.1})
    read = analysis(choice, usage=usage, extras={"/x_groq": {}}, vendor="groq")
    meanings = {extra.pointer: extra.meaning for extra in draw(view(read)).content.fields}
    assert meanings == {
        "/x_groq": "Groq: the request's id, an error, and in streams the usage",
        "/choices/0/message/channel": "Groq: the part of the answer that this text belongs to",
        "/choices/0/mood": "",
        "/usage/queue_time": "Groq: time in the queue in s",
    }


def meaning_of_cost(vendor: str | None) -> str:
    (extra,) = draw(
        view(analysis(usage=Usage(extras={"/cost": 0.1}), vendor=vendor))
    ).content.fields
    return extra.meaning


def test_a_cost_that_no_vendor_documents_says_who_adds_it() -> None:
    adds = "LiteLLM, for one, adds its own estimate. Not counted as a stated cost"
    assert meaning_of_cost(None) == f"no known vendor sent it; {adds}"
    assert meaning_of_cost("openai") == f"OpenAI does not document it; {adds}"
    assert meaning_of_cost("litellm") == (
        "LiteLLM: its own estimate, which the provider behind it did not state"
    )
    assert meaning_of_cost("openrouter") == ""


def test_without_a_vendor_no_meaning_is_told() -> None:
    for vendor in (None, "nobody"):
        read = analysis(usage=Usage(extras={"/queue_time": 0.1}), vendor=vendor)
        assert [extra.meaning for extra in draw(view(read)).content.fields] == [""]


def where(shown: CaptureView) -> dict[str, tuple[int | None, str]]:
    return {
        extra.pointer: (extra.place.event if extra.place else -1, extra.often)
        for extra in draw(shown).content.fields
    }


def test_a_field_of_a_stream_says_in_which_events_it_stood() -> None:
    shown = streamed(
        (1, ": hello\n\n" + chunk(delta(content="a", mood="calm"), provider="eu-2")),
        (2, chunk(delta(content="b", mood="glad"), provider="eu-2") + chunk(delta(0, "stop"))),
        (3, chunk(usage={"prompt_tokens": 1, "queue_time": 0.5}, provider="eu-2") + DONE),
    )
    assert where(shown) == {
        "/provider": (1, "3 events, never changes"),
        "/choices/0/message/mood": (1, "2 events, changes"),
        "/usage/queue_time": (4, ""),
    }


def test_a_field_of_a_whole_body_says_its_byte_and_a_pointer_that_leads_to_it() -> None:
    choices = [
        {"index": 1, "message": {"content": "b", "mood": "glad"}},
        {"index": 0, "message": {"content": "a", "mood": "calm"}, "n": 1},
    ]
    shown = whole({"object": "chat.completion", "choices": choices})
    for extra in draw(shown).content.fields:
        found = JsonSpans(shown.body).find(extra.pointer)
        assert found is not None and extra.place is not None
        said = "".join(segment.text for segment in extra.value).encode()
        assert shown.body[found.start : found.end] == said
        assert extra.place.byte == found.path[-1].name_start
        assert extra.place.pointer == extra.pointer


def test_of_a_long_stream_the_first_events_are_looked_at() -> None:
    chunks = "".join(chunk(delta(content="x"), provider="eu-2") for _ in range(MAX_EVENTS + 50))
    late = chunk(usage={"prompt_tokens": 1, "queue_time": 0.5})
    assert where(streamed((1, chunks + late + DONE))) == {
        "/provider": (0, "500 events of the first 500, never changes"),
        "/usage/queue_time": (MAX_EVENTS + 50, ""),
    }


def test_a_field_that_is_not_found_in_the_bytes_has_no_place() -> None:
    assert where(view(analysis(extras={"/a": 1}), b"{}")) == {"/a": (-1, "")}


def fields(number: int) -> CaptureView:
    """A whole body with so many unknown fields, as many choices, and looked at."""
    named = {f"k{n}": n for n in range(number)}
    choices = [{"index": n, "message": {"content": "a"}} for n in range(number)]
    choices[-1]["x"] = 1
    return whole(
        {"object": "chat.completion", "choices": choices, "usage": {"prompt_tokens": 1, **named}}
        | named,
        looked_at="extras",
    )


def test_so_many_fields_are_shown_and_the_others_are_counted() -> None:
    panel = draw(fields(300))
    assert panel.count == "601"
    assert (len(panel.content.fields), panel.content.more) == (MAX_FIELDS, 401)


def test_many_fields_and_long_bodies_wait_until_they_are_looked_at() -> None:
    many = replace(fields(300), looked_at=None)
    assert draw(many).later == "601 fields with where they stood."
    long = whole({"object": "chat.completion", "choices": [], "x": "a" * HEAVY_BYTES})
    assert draw(long).later == "1 field with where they stood."
    assert not draw(whole({"object": "chat.completion", "choices": [], "x": 1})).later


def test_of_long_values_only_so_much_is_on_the_page_and_the_rest_is_counted() -> None:
    values = {f"k{n}": "x" * 20_000 for n in range(40)}
    shown = draw(view(analysis(extras={f"/{name}": it for name, it in values.items()}))).content
    folded = [extra.rest_length for extra in shown.fields]
    assert folded[0] == MAX_FOLDED and folded[-1] == 0
    assert sum(folded) <= MAX_ON_PAGE
    # Two quotation marks, and the beginning that is not folded.
    assert shown.fields[0].left_out == 20_002 - 300 - MAX_FOLDED
    assert shown.fields[-1].left_out == 20_002 - 300


def test_a_name_that_is_too_long_for_an_address_leads_nowhere() -> None:
    (extra,) = draw(
        whole({"object": "chat.completion", "choices": [], "x" * 3_000: 1})
    ).content.fields
    assert extra.place is not None and extra.address is None


def test_twice_as_many_fields_and_choices_take_twice_the_steps() -> None:
    once, twice = (steps(lambda: draw(shown)) for shown in (fields(400), fields(800)))  # noqa: B023
    assert twice < once * 2.3


# -- formats with a table of their own -------------------------------------------------------------


def marked(shown: CaptureView) -> list[str]:
    """What the raw panel marks as unknown, over all events."""
    spans = UnknownFieldSpans(shown)
    found: dict[tuple[int, int], None] = {}
    for line in shown.lines.all:
        for event in range(len(shown.tape.events.kind)) if shown.tape else ():
            inside = spans.within(line.start, line.end, event if shown.provenance else None)
            found.update(dict.fromkeys(inside))
    return [shown.body[start:end].decode() for start, end in found]


def test_fields_of_a_message_are_found_in_the_events_that_build_it() -> None:
    begin = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "mood": "calm"}
    begin["usage"] = {"input_tokens": 3, "output_tokens": 1, "service_tier": "standard"}
    end = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "weather": "wet"}}
    end["usage"] = {"output_tokens": 2, "wind": 4, "server_tool_use": {"web_search_requests": 1}}
    shown = streamed(
        (1, event({"type": "message_start", "message": begin})),
        (2, event(end) + event({"type": "message_stop", "extra": 1})),
    )
    assert where(shown) == {
        "/mood": (0, ""),
        "/weather": (1, ""),
        "/extra": (2, ""),
        "/usage/wind": (1, ""),
    }
    assert marked(shown) == ['"mood":"calm"', '"weather":"wet"', '"wind":4', '"extra":1']


def test_fields_of_a_response_are_found_where_events_have_the_whole() -> None:
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": []}
    shown = streamed(
        (1, event({"type": "response.created", "response": {**response, "mood": "calm"}})),
        (2, event({"type": "response.completed", "response": {**response, "mood": "calm"}})),
    )
    assert where(shown) == {"/mood": (0, "2 events, never changes")}


def test_early_pieces_of_an_image_are_no_unknown_fields() -> None:
    item = {"type": "image_generation_call", "id": "ig_1", "status": "completed", "result": "Zm9v"}
    response = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
    early = {
        "output_index": 0,
        "partial_image_index": 0,
        "partial_image_b64": "Zg==",
        "size": "1x1",
    }
    kind = "response.image_generation_call.partial_image"
    shown = streamed(
        (1, event({"type": "response.created", "response": {**response, "output": []}})),
        (2, event({"type": kind, **early, "mood": "calm"})),
        (3, event({"type": "response.completed", "response": response})),
    )
    assert where(shown) == {"/mood": (1, "")}


CANDIDATE = {"content": {"parts": [{"text": "Wet."}]}, "safetyRatings": [], "mood": "calm"}


def test_fields_of_a_candidate_have_their_own_pointers() -> None:
    shown = whole({"candidates": [CANDIDATE], "usageMetadata": {"trafficType": "ON_DEMAND"}})
    panel = draw(shown)
    assert {extra.pointer: extra.place is not None for extra in panel.content.fields} == {
        "/candidates/0/safetyRatings": True,
        "/candidates/0/mood": True,
    }
    assert (panel.content.total, panel.content.defined) == (2, 1)
    assert marked(shown) == ['"mood": "calm"']


def test_fields_of_a_candidate_are_found_in_a_wrapped_answer_and_in_a_list() -> None:
    wrapped = whole({"response": {"candidates": [CANDIDATE], "sky": 1}})
    assert [extra.pointer for extra in draw(wrapped).content.fields] == [
        "/response/sky",
        "/response/candidates/0/safetyRatings",
        "/response/candidates/0/mood",
    ]
    assert marked(wrapped) == ['"mood": "calm"', '"sky": 1']
    listed = whole([{"candidates": [CANDIDATE]}, {"candidates": [CANDIDATE]}])
    assert marked(listed) == ['"mood": "calm"', '"mood": "calm"']


def event(document: object) -> str:
    return f"data: {json.dumps(document, separators=(',', ':'))}\n\n"
