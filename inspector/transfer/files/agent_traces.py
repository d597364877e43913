"""Notes of claude-trace and claude-tap on a coding agent's calls, a line for each.

claude-trace has the text of a stream, and the value of an answer that came whole. claude-tap has
the events of a stream: the lines around them are written here, and are not those that were sent.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.decoded_types import built
from inspector.core.wire.exchange import Exchange, Headers, Read, Request
from inspector.transfer.entries import (
    NOTE,
    EntryContent,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.completion_calls import completion_or_passed
from inspector.transfer.files.records import RecordLook

NULL = Raw(b"null")
JSON_TYPE, STREAM_TYPE = "application/json", "text/event-stream"
FROM_EVENTS = "the lines of the stream are written from its events"
NO_RESPONSE = "no response came"


# -- claude-trace ----------------------------------------------------------------------------------


class _TracedRequest(msgspec.Struct):
    method: str
    url: str
    timestamp: float | None = None
    headers: dict[str, str] = {}
    body: Raw = NULL


class _TracedResponse(msgspec.Struct):
    status_code: int | None = None
    headers: dict[str, str] = {}
    body: Raw = NULL
    body_raw: str | None = None


class _TraceLine(msgspec.Struct):
    request: _TracedRequest
    response: _TracedResponse | None = None


def is_claude_trace(look: RecordLook) -> bool:
    return "logged_at" in look.first and _has_members(look.first, "request", "method", "url")


def read_claude_trace(text: bytes) -> EntryContent:
    line = msgspec.json.decode(text, type=built(_TraceLine))
    asked, response = line.request, line.response
    if response is None:
        return PassedOver(NO_RESPONSE, is_unanswered=True)
    body = _value(response.body) if response.body_raw is None else response.body_raw.encode()
    began = None if asked.timestamp is None else datetime.fromtimestamp(asked.timestamp, UTC)
    request = _request(asked.method, asked.url, asked.headers, asked.body)
    return _found(request, response.status_code, response.headers, body, began, {})


# -- claude-tap ------------------------------------------------------------------------------------


class _TappedRequest(msgspec.Struct):
    method: str
    path: str
    headers: dict[str, str] = {}
    body: Raw = NULL


class _TappedEvent(msgspec.Struct):
    event: str | None = None
    data: Raw = NULL


class _TappedResponse(msgspec.Struct):
    status: int | None = None
    headers: dict[str, str] = {}
    body: Raw = NULL
    sse_events: list[_TappedEvent] = []


class _TapLine(msgspec.Struct):
    request: _TappedRequest
    response: _TappedResponse | None = None
    upstream_base_url: str = ""
    duration_ms: float | None = None
    turn: int | None = None


def is_claude_tap(look: RecordLook) -> bool:
    return "turn" in look.first and _has_members(look.first, "request", "method", "path")


def read_claude_tap(text: bytes) -> EntryContent:
    line = msgspec.json.decode(text, type=built(_TapLine))
    asked, response = line.request, line.response
    if response is None:
        return PassedOver(NO_RESPONSE, is_unanswered=True)
    told: dict[str, Any] = {"turn": line.turn, "duration_ms": line.duration_ms}
    told = {name: value for name, value in told.items() if value is not None}
    body = _value(response.body)
    if response.sse_events:
        body = b"".join(map(_lines, response.sse_events))
        told[NOTE] = FROM_EVENTS
    url = line.upstream_base_url.rstrip("/") + asked.path
    request = _request(asked.method, url, asked.headers, asked.body)
    return _found(request, response.status, response.headers, body, None, told)


def _lines(event: _TappedEvent) -> bytes:
    name = f"event: {event.event}\n".encode() if event.event else b""
    data = b"".join(b"data: %b\n" % line for line in _value(event.data).split(b"\n"))
    return name + data + b"\n"


# -- both ------------------------------------------------------------------------------------------


def _has_members(first: Mapping[str, Any], name: str, *members: str) -> bool:
    value = first.get(name)
    return isinstance(value, dict) and all(member in value for member in members)


def _value(raw: Raw) -> bytes:
    """Return the JSON as it stands in the file; of a string its text, of null nothing."""
    text = bytes(raw)
    if text == b"null":
        return b""
    return msgspec.json.decode(text, type=str).encode() if text[:1] == b'"' else text


def _request(method: str, url: str, headers: Mapping[str, str], body: Raw) -> Request:
    return Request(method=method, url=url, headers=tuple(headers.items()), body=_value(body))


def _found(
    request: Request,
    status: int | None,
    headers: Mapping[str, str],
    body: bytes,
    began: datetime | None,
    told: dict[str, Any],
) -> EntryContent:
    if not body:
        return UnreadableEntry("the response has no body")
    sent: Headers = tuple(headers.items())
    is_stream = body.lstrip().startswith((b"event:", b"data:"))
    exchange = Exchange(
        reads=(Read(None, body),),
        content_type=STREAM_TYPE if is_stream else JSON_TYPE,
        status_code=status if status is not None and 100 <= status <= 999 else None,
        headers=_without_coding(sent),
        request=request,
    )
    return completion_or_passed(FoundExchange(exchange, began, told))


def _without_coding(headers: Headers) -> Headers:
    """Both programs undo the coding, and keep the headers that tell of it."""
    of_coding = ("content-encoding", "content-length", "transfer-encoding")
    return tuple(each for each in headers if each[0].lower() not in of_coding)
