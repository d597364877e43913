"""Logs of claude-trace and claude-tap, as both programs write them."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from inspector.core.reading import analyze
from inspector.transfer.entries import NOTE, BodyForm, FileKindName, PassedOver
from tests.transfer.files.reading_files import MESSAGE, contents, file_of, kind_of, only, told

STREAM = (
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}}\n\n'
    'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hé"}}\n\n'
    'event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n'
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}\n\n'
    'event: message_stop\ndata: {"type":"message_stop"}\n\n'
)
EVENTS = [
    {"event": part.splitlines()[0][7:], "data": json.loads(part.splitlines()[1][6:])}
    for part in STREAM.split("\n\n")[:-1]
]
ASKED = {"model": "claude-m", "max_tokens": 9, "messages": [{"role": "user", "content": "hi"}]}


def traced(**response: Any) -> bytes:
    line = {
        "request": {
            "timestamp": 1770000000.5,
            "method": "POST",
            "url": "https://api.anthropic.com/v1/messages?beta=true",
            "headers": {"x-api-key": "sk-ant-api...abcd", "content-type": "application/json"},
            "body": ASKED,
        },
        "response": {"timestamp": 1770000003.1, "status_code": 200, "headers": {}, **response},
        "logged_at": "2026-02-02T03:20:03.100Z",
    }
    return json.dumps(line).encode() + b"\n"


def tapped(path: str = "/v1/messages?beta=true", **response: Any) -> bytes:
    line = {
        "timestamp": "2026-02-02T03:20:03.100000+00:00",
        "request_id": "req_1",
        "turn": 2,
        "duration_ms": 2600,
        "request": {"method": "POST", "path": path, "headers": {}, "body": ASKED},
        "response": {"status": 200, "headers": {"Content-Encoding": "gzip"}, **response},
        "upstream_base_url": "https://api.anthropic.com",
    }
    return json.dumps(line).encode() + b"\n"


def test_a_stream_of_claude_trace_is_the_text_that_it_noted() -> None:
    file = file_of(traced(body_raw=STREAM) * 2)
    assert (file.kind.name, file.kind.body) == (FileKindName.CLAUDE_TRACE, BodyForm.DECODED)
    assert told(file) == [(1, STREAM), (2, STREAM)]
    found = only(file_of(traced(body_raw=STREAM)))
    assert found.started_at == datetime(2026, 2, 2, 2, 40, 0, 500_000, UTC)
    request = found.exchange.request
    assert request is not None and request.url == "https://api.anthropic.com/v1/messages?beta=true"
    analysis = analyze(found.exchange)
    assert (analysis.verdict, analysis.choices[0].content) == ("complete", "Hé")
    assert analysis.timeline.clock == "none"


def test_a_whole_answer_of_claude_trace_is_its_value_in_the_file() -> None:
    found = only(file_of(traced(body=json.loads(MESSAGE))))
    assert json.loads(found.exchange.body) == json.loads(MESSAGE)
    assert analyze(found.exchange).verdict == "complete"


def test_a_request_that_nothing_answered_is_passed_over() -> None:
    line = {**json.loads(traced()), "response": None, "note": "ORPHANED_REQUEST"}
    (content,) = contents(file_of(json.dumps(line).encode()))
    assert content == PassedOver("no response came", is_unanswered=True)


def test_a_stream_of_claude_tap_is_written_from_its_events_and_says_so() -> None:
    file = file_of(tapped(body=json.loads(MESSAGE), sse_events=EVENTS))
    assert (file.kind.name, file.kind.body) == (FileKindName.CLAUDE_TAP, BodyForm.EMBEDDED)
    found = only(file)
    assert found.metadata == {
        "turn": 2,
        "duration_ms": 2600,
        NOTE: "the lines of the stream are written from its events",
    }
    assert found.started_at is None
    assert found.exchange.headers == ()
    analysis = analyze(found.exchange)
    assert (analysis.verdict, analysis.choices[0].content) == ("complete", "Hé")


def test_events_that_are_texts_keep_their_text() -> None:
    found = only(file_of(tapped("/v1/chat/completions", sse_events=[{"data": "[DONE]"}])))
    assert found.exchange.body == b"data: [DONE]\n\n"


def test_a_whole_answer_of_claude_tap_has_no_note() -> None:
    found = only(file_of(tapped(body=json.loads(MESSAGE))))
    assert NOTE not in found.metadata
    assert analyze(found.exchange).verdict == "complete"


@pytest.mark.parametrize("path", ["/v1/models", "/api/event_logging/batch"])
def test_calls_that_ask_for_no_completion_are_passed_over(path: str) -> None:
    (content,) = contents(file_of(tapped(path, body={"data": []})))
    assert isinstance(content, PassedOver)


def test_a_line_that_breaks_costs_no_other() -> None:
    broken = b'{"request":{"method":"POST"},"logged_at":"x"}\n'
    (_, one), (_, other) = told(file_of(traced(body_raw=STREAM) + broken))
    assert one == STREAM and "url" in other


def test_an_entry_without_a_body_says_so() -> None:
    assert told(file_of(traced())) == [(1, "unreadable: the response has no body")]


@pytest.mark.parametrize(
    "line", [b'{"logged_at":"x","level":"info"}\n', b'{"turn":1,"request":"GET /"}\n']
)
def test_other_lines_with_such_members_are_of_another_kind(line: bytes) -> None:
    assert kind_of(line) not in (FileKindName.CLAUDE_TRACE, FileKindName.CLAUDE_TAP)
