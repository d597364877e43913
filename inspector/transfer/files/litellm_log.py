"""Logs of LiteLLM: the standard payload that its loggers write (S3, GCS, HTTP, files), and spend
logs of its proxy. The response is LiteLLM's own object, which it makes of what the provider sent.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.findings import shorten
from inspector.core.formats.provider_error import MAX_MESSAGE
from inspector.core.wire.exchange import Exchange, Request
from inspector.transfer.files.entries import (
    EntryContent,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.moments import milliseconds_between, moment_of, present
from inspector.transfer.files.openai_batch import JSON_TYPE
from inspector.transfer.files.records import RecordLook

SIGNS = frozenset(("call_type", "startTime", "response"))

_When = float | str | None


class _LogEntry(msgspec.Struct, rename="camel"):
    response: Raw = Raw(b"null")
    start_time: _When = None
    end_time: _When = None
    completion_start_time: _When = None
    call_type: str | None = msgspec.field(default=None, name="call_type")
    id: str | None = None
    request_id: str | None = msgspec.field(default=None, name="request_id")
    trace: str | None = msgspec.field(default=None, name="trace_id")
    session: str | None = msgspec.field(default=None, name="session_id")
    end_user: str | None = msgspec.field(default=None, name="end_user")
    api_base: str | None = msgspec.field(default=None, name="api_base")
    model: str | None = None
    messages: Any = None
    model_parameters: Any = msgspec.field(default=None, name="model_parameters")
    status: str | None = None
    error: str | None = msgspec.field(default=None, name="error_str")


def is_litellm_log(look: RecordLook) -> bool:
    return look.first.keys() >= SIGNS


def read_log_entry(text: bytes) -> EntryContent:
    entry = msgspec.json.decode(text, type=_LogEntry)
    body = _object_text(bytes(entry.response))
    if entry.status == "failure" and body is None:
        why = shorten(entry.error or "the log does not say why", MAX_MESSAGE)
        return PassedOver(f"the call failed: {why}", is_unanswered=True)
    if body is None:
        return UnreadableEntry("the log was kept without the response")
    exchange = Exchange(
        reads=Exchange.of_body(body).reads, content_type=JSON_TYPE, request=_request(entry)
    )
    return FoundExchange(exchange, moment_of(entry.start_time), _told(entry))


def _object_text(text: bytes) -> bytes | None:
    """The JSON of an object with members, which spend logs keep as text inside JSON."""
    if text.startswith(b'"'):
        text = msgspec.json.decode(text, type=str).strip().encode()
    try:
        return text if msgspec.json.decode(text, type=dict[str, Raw]) else None
    except msgspec.MsgspecError:
        return None


def _request(entry: _LogEntry) -> Request | None:
    if not isinstance(entry.messages, list) or not entry.messages:
        return None
    parameters = entry.model_parameters if isinstance(entry.model_parameters, dict) else {}
    body = present({"model": entry.model, "messages": entry.messages}) | parameters
    return Request(url=entry.api_base or None, body=msgspec.json.encode(body))


def _told(entry: _LogEntry) -> dict[str, Any]:
    start = entry.start_time
    own = present(
        {
            "id": entry.id or entry.request_id,
            "call_type": entry.call_type,
            "first_token_ms": milliseconds_between(start, entry.completion_start_time),
            "duration_ms": milliseconds_between(start, entry.end_time),
        }
    )
    named = {"trace": entry.trace, "session": entry.session, "user": entry.end_user}
    return present({**named, "litellm": own or None})
