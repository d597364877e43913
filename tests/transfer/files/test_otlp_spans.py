"""Files of OTLP's JSON: each span an entry, whatever document and line it stands in."""

import json
from typing import Any

from inspector.core.reading import analyze
from inspector.transfer.entries import FileEntry, FoundExchange, PassedOver, UnreadableEntry
from tests.core.telemetry_records import CHAT, HELLO, SPAN, TRACE, WHO, document, span
from tests.transfer.files.reading_files import file_of, kind_of

ANSWERED = {**CHAT, **WHO, "gen_ai.output.messages": HELLO}
ASKED = {
    "gen_ai.request.model": "gpt-5.4",
    "gen_ai.request.temperature": 0.5,
    "gen_ai.input.messages": json.dumps(
        [
            {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
            {"role": "user", "parts": [{"type": "text", "content": "Hi"}]},
        ]
    ),
}


def entries_of(body: bytes) -> list[FileEntry]:
    return list(file_of(body).entries())


def lines(*documents: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in documents)


def test_every_span_of_every_line_is_an_entry() -> None:
    body = lines(
        document(span(ANSWERED), span({"http.request.method": "GET"})),
        document(span(ANSWERED, spanId="0" * 16)),
    )
    assert kind_of(body) == "otlp"
    first, second, third = entries_of(body)
    assert isinstance(first.content, FoundExchange)
    assert second.content == PassedOver("no GenAI span")
    assert isinstance(third.content, UnreadableEntry)
    assert [first.number, second.number, third.number] == [1, 2, 3]


def test_a_document_for_people_is_read_too() -> None:
    body = json.dumps(document(span(ANSWERED)), indent=2).encode()
    (entry,) = entries_of(body)
    assert isinstance(entry.content, FoundExchange)
    assert analyze(entry.content.exchange).dialect == "otel-genai"


def test_a_span_tells_request_trace_session_and_times() -> None:
    more = {"gen_ai.conversation.id": "s-1", "user.id": "u-1"}
    timed = {"gen_ai.response.time_to_first_chunk": 0.25}
    (entry,) = entries_of(lines(document(span({**ANSWERED, **ASKED, **more, **timed}))))
    assert isinstance(entry.content, FoundExchange)
    request = entry.content.exchange.request
    assert request is not None
    assert json.loads(request.body or b"") == {
        "model": "gpt-5.4",
        "temperature": 0.5,
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}],
    }
    assert entry.content.metadata == {
        "trace": TRACE,
        "span": SPAN,
        "session": "s-1",
        "user": "u-1",
        "otel": {
            "service": "shop",
            "scope": "an.instrumentation",
            "first_token_ms": 250.0,
            "duration_ms": 1250.0,
        },
    }


def test_what_a_tool_answered_and_what_was_called_stand_in_the_request() -> None:
    messages = [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"x": 1}}],
        },
        {
            "role": "tool",
            "parts": [{"type": "tool_call_response", "id": "c1", "response": "sunny"}],
        },
    ]
    told = {"gen_ai.input.messages": json.dumps(messages)}
    (entry,) = entries_of(lines(document(span({**ANSWERED, **told}))))
    assert isinstance(entry.content, FoundExchange)
    request = entry.content.exchange.request
    assert request is not None
    call = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"x": 1}'}}
    assert json.loads(request.body or b"")["messages"] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
    ]


def test_a_line_that_is_cut_costs_no_other() -> None:
    body = lines(document(span(ANSWERED))) + b'{"resourceSpans":[{"sco\n'
    first, second = entries_of(body)
    assert isinstance(first.content, FoundExchange)
    assert isinstance(second.content, UnreadableEntry)


BEGINNING = {
    **CHAT,
    "gen_ai.request.model": "gpt-5.4",
    "gen_ai.response.model": "gpt-5.4",
    "logfire.span_type": "span",
}
"""As Logfire tells a call before its answer is known."""


def test_a_streamed_call_that_comes_as_two_spans_is_one_capture_with_the_times_of_the_stream() -> (
    None
):
    moment = "1795693500334000000"
    end = span(
        {**ANSWERED, "logfire.span_type": "log", "duration": 1.5},
        startTimeUnixNano=moment,
        endTimeUnixNano=moment,
    )
    first, second = entries_of(lines(document(span(BEGINNING), end)))
    assert first.content == PassedOver("the beginning of a stream, whose end another span tells")
    assert isinstance(second.content, FoundExchange)
    assert str(second.content.started_at) == "2026-11-26 11:44:58.834000+00:00"
    assert second.content.metadata["otel"]["duration_ms"] == 1500.0


def test_a_call_of_logfire_that_failed_or_was_whole_is_a_capture() -> None:
    failed = span(BEGINNING, status={"code": 2, "message": "429"})
    whole = span({**BEGINNING, **ANSWERED})
    others = span({**CHAT, "gen_ai.request.model": "gpt-5.4"})
    for entry in entries_of(lines(document(failed, whole, others))):
        assert isinstance(entry.content, FoundExchange)


def test_a_duration_that_is_none_changes_no_time() -> None:
    for duration in (-1.0, 1e300, "2", True):
        log = span({**ANSWERED, "logfire.span_type": "log", "duration": duration})
        (entry,) = entries_of(lines(document(log)))
        assert isinstance(entry.content, FoundExchange)
        assert str(entry.content.started_at) == "2026-11-26 11:44:59.084000+00:00"
