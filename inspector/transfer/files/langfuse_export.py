"""Observations as Langfuse exports them: JSON, JSONL and CSV of its pages, its API and its blob
storage.
An answer is what the traced program gave as ``output``: often a message, sometimes the whole
object, and never the provider's bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.findings import shorten
from inspector.core.formats.provider_error import MAX_MESSAGE
from inspector.core.wire.exchange import Exchange, Request
from inspector.transfer.files.csv_table import columns_of, csv_rows
from inspector.transfer.files.entries import (
    EntryContent,
    FileEntry,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.moments import milliseconds_between, moment_of, present
from inspector.transfer.files.openai_batch import JSON_TYPE, NULL
from inspector.transfer.files.records import RecordLook, numbered_entries, read_records
from inspector.transfer.files.source import FileSource

GENERATION = "GENERATION"
_SNAKE_CASE = {
    "traceId": "trace_id",
    "sessionId": "session_id",
    "userId": "user_id",
    "startTime": "start_time",
    "endTime": "end_time",
    "completionStartTime": "completion_start_time",
    "statusMessage": "status_message",
}
ONLY_TEXT = "its output is text alone, without the response that it was part of"


class _Observation(msgspec.Struct):
    type: str
    output: Raw = Raw(NULL)
    input: Any = None
    id: str | None = None
    trace_id: str | None = None
    session_id: str | None = None
    user_id: str | None = None
    name: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    completion_start_time: str | None = None
    status_message: str | None = None


def is_langfuse_table(source: FileSource) -> bool:
    """A table of observations: those of traces and of scores have other columns."""
    columns = columns_of(source)
    return "output" in columns and not columns.isdisjoint(("traceId", "trace_id"))


def read_export(source: FileSource) -> Iterator[FileEntry]:
    """Raises ``BrokenFile``."""
    if is_langfuse_table(source):
        return numbered_entries(csv_rows(source), _of_row)
    return read_records(read_observation, source)


def _of_row(row: Mapping[str, str]) -> EntryContent:
    return read_observation(_record_of_row(row))


def _record_of_row(row: Mapping[str, str]) -> bytes:
    """The row as the record that it would be in JSONL. An empty cell is null; an older table has no
    types, because it holds answers alone.
    """
    cells = {name: _cell(name, value) for name, value in row.items()}
    return msgspec.json.encode({"type": GENERATION, **cells})


def _cell(name: str, value: str) -> Any:
    if not value:
        return None
    if name not in ("input", "output"):
        return value
    # Objects stand in a cell as JSON, texts as they are.
    try:
        msgspec.json.decode(value)
        return Raw(value.encode())
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return value


def is_langfuse_export(look: RecordLook) -> bool:
    first = look.first
    is_traced = "traceId" in first or "trace_id" in first
    return is_traced and "output" in first and isinstance(first.get("type"), str)


def read_observation(text: bytes) -> EntryContent:
    one = _observation(text)
    if one.type != GENERATION:
        return PassedOver(f"an observation of the type {one.type}, not of an answer"[:300])
    if bytes(one.output) == NULL:
        why = one.status_message or "it was kept without output"
        return PassedOver(f"no answer: {shorten(why, MAX_MESSAGE)}", is_unanswered=True)
    body = _object_text(bytes(one.output))
    if body is None:
        return UnreadableEntry(ONLY_TEXT)
    exchange = Exchange(
        reads=Exchange.of_body(body).reads, content_type=JSON_TYPE, request=_request(one.input)
    )
    return FoundExchange(exchange, moment_of(one.start_time, is_utc=True), _told(one))


def _observation(text: bytes) -> _Observation:
    """Of pages and API the names are in camel case, of the blob storage in snake case."""
    members = msgspec.json.decode(text, type=dict[str, Raw])
    renamed = {_SNAKE_CASE.get(name, name): value for name, value in members.items()}
    return msgspec.json.decode(msgspec.json.encode(renamed), type=_Observation)


def _object_text(text: bytes) -> bytes | None:
    """The JSON of an object: itself, in a list alone, or as text inside JSON."""
    if text.startswith(b'"'):
        text = msgspec.json.decode(text, type=str).strip().encode()
    try:
        if text.startswith(b"["):
            [item] = msgspec.json.decode(text, type=list[Raw])
            text = bytes(item)
        return text if msgspec.json.decode(text, type=dict[str, Raw]) else None
    except (msgspec.MsgspecError, ValueError):
        return None


def _request(value: Any) -> Request | None:
    """The body of a request where the input is one; a list of messages is part of one."""
    if isinstance(value, list) and value:
        value = {"messages": value}
    if not isinstance(value, dict) or not isinstance(value.get("messages"), list):
        return None
    return Request(body=msgspec.json.encode(value))


def _told(one: _Observation) -> dict[str, Any]:
    start = one.start_time
    first_token = milliseconds_between(start, one.completion_start_time, is_utc=True)
    own = present(
        {
            "id": one.id,
            "name": one.name,
            "first_token_ms": first_token,
            "duration_ms": milliseconds_between(start, one.end_time, is_utc=True),
        }
    )
    named = {"trace": one.trace_id, "session": one.session_id, "user": one.user_id}
    return present({**named, "langfuse": own or None})
