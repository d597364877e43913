import json

from inspector.core.completion import Choice, FunctionCall
from inspector.core.exchange import Exchange, Read, Request
from inspector.dashboard.marks import Segment
from inspector.dashboard.panel import Drawn
from inspector.dashboard.panels.tool_calls import draw
from tests.dashboard.captured import (
    DONE,
    analysis,
    call,
    chunk,
    delta,
    read_view,
    streamed,
    view,
    whole,
)


def text(segments: tuple[Segment, ...]) -> str:
    return "".join(segment.text for segment in segments)


CUT = (
    (100, chunk(delta(0, role="assistant"))),
    (200, chunk(delta(0, **call('{"order":', name="book")))),
    (300, chunk(delta(0, **call('"48213","collect_')))),
    (400, chunk(delta(0, "length")) + DONE),
)


def test_a_cut_call_names_the_event_that_brought_its_end() -> None:
    panel = draw(streamed(*CUT))
    (shown,) = panel.content.calls
    assert panel.tone == "error"
    assert shown.text.name == "book"
    assert shown.breaking_event == 2
    assert shown.sentence.startswith("The text ends after 26 characters")
    assert shown.span is not None and (shown.span.start_us, shown.span.end_us) == (200, 300)


def test_a_broken_call_names_the_character() -> None:
    broken = (chunk(delta(0, **call("{oops}", name="f"))) + chunk(delta(0, "tool_calls")) + DONE,)
    (shown,) = draw(streamed(*((100 + n, text) for n, text in enumerate(broken)))).content.calls
    assert shown.sentence == (
        "From character 1 of 6 on the text cannot become JSON: this character cannot stand here"
    )


def test_a_broken_call_of_a_whole_answer_leads_to_its_byte() -> None:
    entry = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{oops}"}}
    message = {"role": "assistant", "tool_calls": [entry]}
    answer = whole({"object": "chat.completion", "choices": [{"index": 0, "message": message}]})
    (shown,) = draw(answer).content.calls
    assert shown.breaking_event is None and shown.breaking_byte is not None
    assert answer.body[shown.breaking_byte :].startswith(b"oops}")


def test_calls_stand_in_the_order_of_their_choices_and_indexes() -> None:
    reads = [
        chunk(delta(0, **call("{}", index=1, name="b"))),
        chunk(delta(0, **call("{}", index=0, name="a"))),
        chunk(delta(0, "tool_calls")) + DONE,
    ]
    shown = draw(streamed(*((100 * n + 100, text) for n, text in enumerate(reads)))).content.calls
    assert [each.text.name for each in shown] == ["a", "b"]


def test_the_deprecated_call_is_a_call_without_index() -> None:
    choice = Choice(index=0, function_call=FunctionCall(name="old", arguments_text="{}"))
    (shown,) = draw(view(analysis(choice))).content.calls
    assert (shown.position, shown.type, shown.text.index) == (None, "function_call", None)


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
    panel = draw(streamed((100, chunk(delta(0, "tool_calls", tool_calls=[custom])) + DONE)))
    (shown,) = panel.content.calls
    assert (shown.text.name, shown.part, shown.text.state_words) == ("shell", "input", "free text")
    assert (panel.tone, shown.sentence, shown.text.breaking) == ("", "", "")


def test_arguments_inside_a_string_cannot_be_used_and_break_nowhere() -> None:
    panel = draw(streamed((100, chunk(delta(0, **call('"{}"', name="f"))) + DONE)))
    (shown,) = panel.content.calls
    assert panel.tone == "error"
    assert shown.sentence.startswith("The arguments cannot be used: they are JSON inside")
    assert (shown.text.breaking, shown.breaking_event) == ("", None)


def offered(schema: object, name: str = "f") -> Request:
    tool = {"type": "function", "function": {"name": name, "parameters": schema}}
    return Request(body=json.dumps({"tools": [tool]}).encode())


def asked(request: Request | None) -> Drawn:
    body = (chunk(delta(0, **call('{"order":1,"colour":"red"}', name="f"))) + DONE).encode()
    exchange = Exchange(reads=(Read(100, body),), content_type="text/event-stream", request=request)
    return draw(read_view(exchange))


def test_remarks_of_the_schema_stand_beside_the_call() -> None:
    panel = asked(offered({"properties": {"order": {"type": "string"}}}))
    (shown,) = panel.content.calls
    kinds = [(remark.kind, remark.severity) for remark in shown.remarks]
    assert kinds == [("against the schema", "warning"), ("invented field", "info")]
    assert [text(remark.place) for remark in shown.remarks] == ["/order", "/colour"]
    assert (panel.tone, panel.content.tools_known) == ("warning", True)


def test_a_call_that_was_not_offered_says_so_where_the_request_is_known() -> None:
    unknown, unasked = asked(offered({}, "g")), asked(None)
    assert (unknown.content.calls[0].is_offered, unknown.tone) == (False, "warning")
    assert (unasked.content.calls[0].is_offered, unasked.tone) == (None, "")
    assert not unasked.content.tools_known


def test_a_capture_without_calls_says_why() -> None:
    assert draw(view(analysis(Choice(index=0)))).why_empty == "No choice carries tool calls."
    legacy = analysis(Choice(index=0), object="text_completion")
    assert "cannot call tools" in draw(view(legacy)).why_empty
    assert "no choices" in draw(view(analysis())).why_empty
    assert "Not inspected yet" in draw(view()).why_empty
