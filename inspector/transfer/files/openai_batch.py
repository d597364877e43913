"""Output and error files of OpenAI's Batch API, which Azure and Mistral write alike: a line for
each request. The lines say neither when an answer came nor what was asked.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.wire.exchange import Exchange, Read
from inspector.transfer.files.entries import (
    EntryContent,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.records import RecordLook

NULL = b"null"
JSON_TYPE = "application/json"


class _BatchResponse(msgspec.Struct):
    body: Raw = Raw(NULL)
    status_code: int | None = None
    request_id: str | None = None


class _BatchError(msgspec.Struct):
    code: str | int | None = None
    message: str | None = None


class _BatchOutputLine(msgspec.Struct):
    custom_id: str | None = None
    id: str | None = None
    response: _BatchResponse | None = None
    error: _BatchError | None = None


def is_openai_batch(look: RecordLook) -> bool:
    first = look.first
    response = first.get("response")
    if "custom_id" not in first or "response" not in first:
        return False
    return response is None or (isinstance(response, dict) and "status_code" in response)


def read_batch_output(text: bytes) -> EntryContent:
    line = msgspec.json.decode(text, type=_BatchOutputLine)
    response = line.response
    if response is None:
        return PassedOver(f"no response came: {_words(line.error)}")
    if bytes(response.body) == NULL:
        return UnreadableEntry("the response has no body")
    exchange = Exchange(
        reads=(Read(None, bytes(response.body)),),
        content_type=JSON_TYPE,
        status_code=_status(response.status_code),
    )
    return FoundExchange(exchange, metadata=_told(line, response))


def _words(error: _BatchError | None) -> str:
    told = [str(part) for part in (error and error.code, error and error.message) if part]
    return ": ".join(told) or "the line does not say why"


def _status(code: int | None) -> int | None:
    return code if code is not None and 100 <= code <= 999 else None


def _told(line: _BatchOutputLine, response: _BatchResponse) -> dict[str, Any]:
    told = {"custom_id": line.custom_id, "batch_id": line.id, "request_id": response.request_id}
    return {name: value for name, value in told.items() if value is not None}
