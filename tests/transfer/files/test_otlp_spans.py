"""Files of OTLP's JSON: each span an entry, whatever document and line it stands in."""

import json
from typing import Any

from inspector.core.reading import analyze
from inspector.transfer.files.entries import FileEntry, FoundExchange, PassedOver, UnreadableEntry
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
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hi"},
        ],
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
