"""``logs.db`` of the command ``llm``: a row of SQLite for each answer. A whole answer is kept as
the object that the library returned; of a stream the chunks were merged, so that its object is put
together here again from the merged fields.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Any
from urllib.parse import quote

import msgspec

from inspector.core.wire.exchange import Exchange, Request
from inspector.transfer.files.entries import (
    BrokenFile,
    EntryContent,
    FileEntry,
    FoundExchange,
    UnreadableEntry,
)
from inspector.transfer.files.moments import moment_of, present
from inspector.transfer.files.openai_batch import JSON_TYPE
from inspector.transfer.files.source import FileSource

SQLITE_MAGIC = b"SQLite format 3\x00"
SIGNS = frozenset(("id", "model", "response", "response_json"))
COLUMNS = (
    "id",
    "model",
    "resolved_model",
    "prompt_json",
    "response_json",
    "conversation_id",
    "duration_ms",
    "datetime_utc",
)
"""Of which older versions of ``llm`` have fewer."""
MERGED_OBJECT = "chat.completion.chunk"
NOT_KEPT = "the row has no object of the response, only its text"


def is_llm_logs(source: FileSource) -> bool:
    if source.path is None or not source.head.startswith(SQLITE_MAGIC):
        return False
    try:
        with closing(_opened(source)) as database:
            return _columns(database) >= SIGNS
    except sqlite3.Error:
        return False


def read_llm_logs(source: FileSource) -> Iterator[FileEntry]:
    """In the order in which they were asked. Raises ``BrokenFile``."""
    try:
        with closing(_opened(source)) as database:
            database.row_factory = sqlite3.Row
            there = [name for name in COLUMNS if name in _columns(database)]
            rows = database.execute(f"SELECT {', '.join(there)} FROM responses ORDER BY rowid")
            for number, row in enumerate(rows, start=1):
                yield FileEntry(number, _content(dict(row)))
    except sqlite3.Error as error:
        raise BrokenFile(f"the database cannot be read: {error}") from error


def _opened(source: FileSource) -> sqlite3.Connection:
    """For reading alone: the program that owns the file may be writing."""
    return sqlite3.connect(f"file:{quote(str(source.path))}?mode=ro", uri=True)


def _columns(database: sqlite3.Connection) -> set[str]:
    return {row[1] for row in database.execute("PRAGMA table_info(responses)")}


def _content(row: Mapping[str, Any]) -> EntryContent:
    text = row.get("response_json")
    value = _object(text)
    if not value:
        return UnreadableEntry(NOT_KEPT)
    if "choices" not in value and value.get("object") == MERGED_OBJECT:
        body = msgspec.json.encode(_unmerged(value))
    else:
        body = str(text).encode()
    request = _object(row.get("prompt_json"))
    exchange = Exchange(
        reads=Exchange.of_body(body).reads,
        content_type=JSON_TYPE,
        request=Request(body=msgspec.json.encode(request)) if request else None,
    )
    started_at = moment_of(row.get("datetime_utc"), is_utc=True)
    return FoundExchange(exchange, started_at, _told(row))


def _object(text: Any) -> dict[str, Any] | None:
    try:
        value = msgspec.json.decode(text) if isinstance(text, str) else None
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return value if isinstance(value, dict) else None


def _unmerged(value: Mapping[str, Any]) -> dict[str, Any]:
    """A chat completion of the fields that ``llm`` merged; what it did not keep is not there."""
    of_message = {name: value[name] for name in ("role", "content") if name in value}
    of_choice = {name: value[name] for name in ("finish_reason", "logprobs") if name in value}
    taken = {*of_message, *of_choice, "index", "object"}
    rest = {name: member for name, member in value.items() if name not in taken}
    choice = {"index": value.get("index", 0), "message": of_message, **of_choice}
    return {"object": "chat.completion", **rest, "choices": [choice]}


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    own = present({name: row.get(name) for name in ("id", "model", "duration_ms")})
    return present({"session": row.get("conversation_id"), "llm": own or None})
