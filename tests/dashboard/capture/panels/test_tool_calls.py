import json
from typing import Any

import pytest

from inspector.core.completion import Choice, FunctionCall
from inspector.core.wire.exchange import Exchange, Read, Request
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import PanelBody
from inspector.dashboard.capture.tool_calls.panel import (
    HEAVY_CHARACTERS,
    MAX_LISTED,
    MAX_SHOWN,
    ToolCallDisplay,
    break_position_words,
    draw,
)
from tests.dashboard.capture.samples import (
    DONE,
    analysis,
    call,
    chunk,
    delta,
    read_view,
    streamed,
    text_of,
    view,
    whole,
)

CUT = (
    (100, chunk(delta(0, role="assistant"))),
    (200, chunk(delta(0, **call('{"order":', name="book")))),
    (300, chunk(delta(0, **call('"48213","collect_')))),
    (400, chunk(delta(0, "length")) + DONE),
)


def entry(arguments: str, name: str = "f") -> dict[str, object]:
    return {"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}}


def answer(*calls: dict[str, object], **changes: Any) -> CaptureView:
    """A whole answer with these calls."""
    message = {"role": "assistant", "tool_calls": list(calls)}
    choice = {"index": 0, "message": message}
    return whole({"object": "chat.completion", "choices": [choice]}, **changes)


def test_a_cut_call_names_the_event_that_brought_its_end() -> None:
    panel = draw(streamed(*CUT))
    (shown,) = panel.content.calls
    assert panel.tone == "error"
    assert shown.line.name == "book"
    assert shown.breaking_event == 2
    assert shown.where == "Ends inside a name, 1 bracket open"
    assert shown.cause == "", "the headline says it"
    assert shown.argument_byte == 26
    assert shown.span is not None and (shown.span.start_us, shown.span.end_us) == (200, 300)


@pytest.mark.parametrize(
    "text, where",
    [
        ('{"a":"x', "inside a string, 1 bracket open"),
        ('{"a":[[1', "after a value, 3 brackets open"),
        ('{"a":', "where a value is expected, 1 bracket open"),
        ('{"a":tr', "inside a value, 1 bracket open"),
        ('"abc', "inside a string"),
    ],
)
def test_what_was_cut_says_what_it_was_cut_in(text: str, where: str) -> None:
    assert break_position_words(text) == where


def test_a_broken_call_names_the_character() -> None:
    broken = (chunk(delta(0, **call("{oops}", name="f"))) + chunk(delta(0, "tool_calls")) + DONE,)
    (shown,) = draw(streamed(*((100 + n, text) for n, text in enumerate(broken)))).content.calls
    assert shown.where == "Breaks at character 1 of 6"
    assert shown.cause == "this character is not allowed here"


def test_a_broken_call_of_a_whole_answer_leads_to_its_byte() -> None:
    view = answer(entry("{oops}"))
    (shown,) = draw(view).content.calls
    assert shown.breaking_event is None and shown.breaking_byte is not None
    assert view.body[shown.breaking_byte :].startswith(b"oops}")


def test_a_broken_call_has_a_repair_and_a_sound_one_has_none() -> None:
    broken, sound = draw(answer(entry('{"a":1'), entry('{"a":1}'))).content.calls
    assert text_of(broken.repaired) == '{"a":1}'
    assert sound.proposal is None and not sound.line.broken


def test_calls_stand_in_the_order_of_their_choices_and_indexes() -> None:
    reads = [
        chunk(delta(0, **call("{}", index=1, name="b"))),
        chunk(delta(0, **call("{}", index=0, name="a"))),
        chunk(delta(0, "tool_calls")) + DONE,
    ]
    shown = draw(streamed(*((100 * n + 100, text) for n, text in enumerate(reads)))).content
    assert [each.line.name for each in shown.calls] == ["a", "b"]
    assert [each.line.key for each in shown.calls] == ["0-1", "0-0"]


def test_one_call_needs_no_list() -> None:
    assert draw(answer(entry("{}"))).content.lines == ()


def test_the_deprecated_call_is_a_call_without_index() -> None:
    choice = Choice(index=0, function_call=FunctionCall(name="old", arguments_text="{}"))
    (shown,) = draw(view(analysis(choice))).content.calls
    assert (shown.line.key, shown.type, shown.line.index) == ("0-f", "function_call", None)


def test_the_deprecated_call_shows_when_its_arguments_came() -> None:
    pieces = [
        {"function_call": {"name": "old", "arguments": "{"}},
        {"function_call": {"arguments": "}"}},
    ]
    reads = [(100 * n, chunk(delta(0, **piece))) for n, piece in enumerate(pieces, start=1)]
    (shown,) = draw(streamed(*reads, (300, DONE))).content.calls
    assert shown.span is not None and (shown.span.start_us, shown.span.end_us) == (100, 200)


def test_a_custom_call_shows_its_input_as_text() -> None:
    custom = {"index": 0, "id": "a", "type": "custom", "custom": {"name": "shell", "input": "ls {"}}
    panel = draw(streamed((100, chunk(delta(0, "tool_calls", tool_calls=[custom])) + DONE),
                          query_params={"tool_calls": "tree"}))  # fmt: skip
    (shown,) = panel.content.calls
    assert (shown.line.name, shown.part, shown.line.words) == ("shell", "input", "free text")
    assert (panel.tone, shown.where, shown.proposal) == ("", "", None)
    assert "free text: it has no tree" in shown.why_no_tree


def test_arguments_inside_a_string_cannot_be_used_and_break_nowhere() -> None:
    panel = draw(streamed((100, chunk(delta(0, **call('"{}"', name="f"))) + DONE)))
    (shown,) = panel.content.calls
    assert panel.tone == "error"
    assert shown.where == "The arguments cannot be used"
    assert shown.cause.startswith("they are double-encoded")
    assert [piece.kind for piece in shown.pieces] == ["left-out", "", "left-out"]
    assert shown.breaking_event is None


# -- views -----------------------------------------------------------------------------------------


def test_the_tree_is_made_where_it_is_asked_for() -> None:
    assert draw(answer(entry('{"a":1}'))).content.calls[0].tree is None
    shown = draw(answer(entry('{"a":1}'), query_params={"tool_calls": "tree"})).content
    assert (shown.mode, len(shown.calls[0].tree.root.children)) == ("tree", 1)


def test_a_page_that_cannot_fetch_parts_has_the_tree_at_once() -> None:
    assert draw(answer(entry('{"a":1}'), is_stored=False)).content.calls[0].tree is not None


def test_the_tree_of_what_is_no_json_is_that_of_its_repair() -> None:
    asked = {"tool_calls": "tree"}
    (repaired,) = draw(answer(entry('{"a":1'), query_params=asked)).content.calls
    assert len(repaired.tree.root.children) == 1
    (broken,) = draw(answer(entry('{"a":1}{"b":2}'), query_params=asked)).content.calls
    assert broken.tree is None and "no repair is proposed" in broken.why_no_tree
    (empty,) = draw(answer(entry(""), query_params=asked)).content.calls
    assert empty.why_no_tree == "An empty text has no tree."


def test_a_part_of_the_tree_is_shown_of_the_call_that_was_meant() -> None:
    asked = {"tool_calls": "tree", "call": "0-0", "at": "/l", "item": "1"}
    first, second = draw(
        answer(entry('{"l":[1,2]}'), entry('{"l":[3]}'), query_params=asked)
    ).content.calls
    assert (text_of(first.tree.at), len(first.tree.root.children)) == ("/l", 1)
    assert (text_of(second.tree.at), second.tree.start) == ("", 0)


def test_a_place_that_is_not_in_the_tree_shows_all_of_it() -> None:
    asked = {"tool_calls": "tree", "call": "0-0", "at": "/none", "item": "x"}
    (shown,) = draw(answer(entry('{"l":1}'), query_params=asked)).content.calls
    assert text_of(shown.tree.at) == ""


def test_the_trees_of_many_calls_share_what_a_page_can_hold() -> None:
    calls = [
        entry(json.dumps({"l": list(range(49)), "m": list(range(49))})) for _ in range(MAX_SHOWN)
    ]
    shown = draw(answer(*calls, query_params={"tool_calls": "tree"})).content.calls
    assert all(call.tree.root.children[0].more for call in shown)
    (alone,) = draw(answer(calls[0], query_params={"tool_calls": "tree"})).content.calls
    assert not any(node.more for node in alone.tree.root.children)


def test_a_long_text_is_clipped_until_it_is_asked_for() -> None:
    long = entry(json.dumps({"a": "x" * 20_000}))
    shown = draw(answer(long, entry("{}"))).content
    assert (shown.calls[0].is_clipped, len(shown.calls)) == (True, 2)
    asked = {"tool_calls": "whole", "call": "0-0"}
    shown = draw(answer(long, entry("{}"), query_params=asked)).content
    assert (shown.calls[0].is_clipped, len(shown.calls)) == (False, 1)


def test_very_many_calls_are_listed_in_steps_and_shown_from_the_one_that_is_meant() -> None:
    calls = [entry("{}", f"f{n}") for n in range(MAX_LISTED + 50)]
    shown = draw(answer(*calls)).content
    assert (len(shown.lines), len(shown.calls), shown.total) == (
        MAX_LISTED,
        MAX_SHOWN,
        MAX_LISTED + 50,
    )
    assert (shown.earlier, shown.later) == ("", f"0-{MAX_LISTED}")
    shown = draw(answer(*calls, query_params={"call": f"0-{MAX_LISTED + 40}"})).content
    assert [call.line.name for call in shown.calls] == [f"f{MAX_LISTED + n}" for n in range(40, 50)]
    assert (shown.earlier, shown.later, len(shown.lines)) == ("0-0", "", 50)
    assert [line.is_shown for line in shown.lines] == [False] * 40 + [True] * 10


def test_calls_that_an_agent_cannot_use_and_the_one_asked_for_are_in_sight() -> None:
    calls = entry('{"a":1}', "sound"), entry('{"a":', "cut"), entry("{}", "asked")

    def names(shown: tuple[ToolCallDisplay, ...]) -> list[str]:
        return [call.line.name for call in shown]

    shown = draw(answer(*calls)).content
    assert names(shown.calls_in_sight) == ["cut"]
    assert names(shown.sound_calls) == ["sound", "asked"]
    shown = draw(answer(*calls, query_params={"call": "0-0"})).content
    assert names(shown.calls_in_sight) == ["sound", "cut"]
    assert names(shown.sound_calls) == ["asked"]
    shown = draw(answer(calls[0], calls[2])).content
    assert (names(shown.calls_in_sight), shown.sound_calls) == (["sound", "asked"], ())


def test_heavy_arguments_wait_until_somebody_looks() -> None:
    heavy = entry(json.dumps({"a": "x" * HEAVY_CHARACTERS}))
    panel = draw(answer(heavy, entry('{"a"')))
    assert (panel.content, panel.count, panel.tone) == (None, "2", "error")
    assert panel.later == "2 calls with 150,013 characters of arguments."
    assert draw(answer(heavy, looked_at="tool_calls")).content.calls


# -- the request's schema --------------------------------------------------------------------------


def offered(schema: object, name: str = "f") -> Request:
    tool = {"type": "function", "function": {"name": name, "parameters": schema}}
    return Request(body=json.dumps({"tools": [tool]}).encode())


def of_request(request: Request | None) -> PanelBody:
    body = (chunk(delta(0, **call('{"order":1,"colour":"red"}', name="f"))) + DONE).encode()
    exchange = Exchange(reads=(Read(100, body),), content_type="text/event-stream", request=request)
    return draw(read_view(exchange, request=request))


def test_the_schema_is_held_beside_the_call() -> None:
    panel = of_request(offered({"properties": {"order": {"type": "string"}}}))
    (shown,) = panel.content.calls
    assert [(text_of(row.place), row.outcome, row.tone) for row in shown.schema.rows] == [
        ("order", "against the schema", "cross"),
        ("/order", "against the schema", "cross"),
        ("/colour", "invented field", "soft"),
    ]
    assert (panel.tone, shown.why_no_schema) == ("warning", "")


def test_an_invented_field_alone_is_no_warning() -> None:
    assert of_request(offered({"properties": {"order": {}}})).tone == ""


def test_arguments_without_an_optional_field_match_their_schema() -> None:
    def is_matched(schema: object) -> bool:
        return bool(of_request(offered(schema)).content.calls[0].schema.is_matched)

    assert is_matched({"properties": {"order": {}, "note": {"type": "string"}}})
    assert not is_matched({"properties": {"order": {}, "note": {}}, "required": ["note"]})


def test_without_a_schema_the_reason_stands_in_its_place() -> None:
    def why(request: Request | None) -> str:
        return str(of_request(request).content.calls[0].why_no_schema)

    assert "are unknown" in why(None)
    assert "no tool with this name" in why(offered({}, "g"))
    assert "no schema with fields" in why(offered({}))
    assert why(offered({"properties": {"order": {}}})) == ""
    tools = offered({"properties": {"a": {}}})
    for arguments, said in (
        ("[1]", "not an object"),
        ("", "no JSON"),
        ('{"a":1}{"b":2}', "no JSON"),
    ):
        (shown,) = draw(answer(entry(arguments), request=tools)).content.calls
        assert said in shown.why_no_schema


def test_a_call_that_was_not_offered_says_so_where_the_request_is_known() -> None:
    unknown, unasked = of_request(offered({}, "g")), of_request(None)
    assert (unknown.content.calls[0].line.is_offered, unknown.tone) == (False, "warning")
    assert (unasked.content.calls[0].line.is_offered, unasked.tone) == (None, "")


def test_a_capture_without_calls_says_why() -> None:
    assert "No choice has tool calls" in draw(view(analysis(Choice(index=0)))).why_empty
    legacy = analysis(Choice(index=0), dialect="openai-text", object="text_completion")
    assert "does not define tool calls" in draw(view(legacy)).why_empty
    assert "There are no choices" in draw(view(analysis())).why_empty
    assert "Not analysed yet" in draw(view()).why_empty


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (
            {"type": "message", "role": "assistant", "content": [
                {"type": "tool_use", "id": "toolu_1", "name": "rain", "input": {}}]},
            "",
        ),
        (
            {"object": "response", "output": [
                {"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "SELECT 1"}]},
            "custom_tool_call",
        ),
        (
            {"candidates": [{"content": {"parts": [{"functionCall": {"name": "rain"}}]}}]},
            "",
        ),
    ],
)  # fmt: skip
def test_call_that_is_a_part_of_a_message_has_the_type_of_the_part_where_that_is_unusual(
    body: object, kind: str
) -> None:
    (call,) = draw(whole(body)).content.calls
    assert call.type == kind
