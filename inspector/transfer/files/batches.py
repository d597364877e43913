"""Outputs of batches, a line for each request: OpenAI's output and error files, which Azure and
Mistral write alike, and results of Anthropic's Message Batches. The lines say neither when an
answer came nor what was asked.
"""

from typing import Any

import msgspec
from msgspec import Raw

from inspector.core.decoded_types import built
from inspector.core.findings import shorten
from inspector.core.formats.provider_error import error_message
from inspector.core.json import Json
from inspector.core.wire.exchange import Exchange, Read
from inspector.transfer.entries import EntryContent, FoundExchange, PassedOver, UnreadableEntry
from inspector.transfer.files.records import RecordLook

NULL = b"null"
JSON_TYPE = "application/json"
RESULT_TYPES = ("succeeded", "errored", "canceled", "expired")


# -- OpenAI ----------------------------------------------------------------------------------------


class _BatchResponse(msgspec.Struct):
    body: Raw = Raw(NULL)
    status_code: int | None = None
    request_id: str | None = None


class _BatchOutputLine(msgspec.Struct):
    custom_id: str | None = None
    id: str | None = None
    response: _BatchResponse | None = None
    error: Any = None


def is_openai_batch(look: RecordLook) -> bool:
    first = look.first
    response = first.get("response")
    if "custom_id" not in first or "response" not in first:
        return False
    return response is None or (isinstance(response, dict) and "status_code" in response)


def read_batch_output(text: bytes) -> EntryContent:
    line = msgspec.json.decode(text, type=built(_BatchOutputLine))
    response = line.response
    if response is None:
        return PassedOver(f"no response came: {_words(line.error)}", is_unanswered=True)
    if bytes(response.body) == NULL:
        why = f": {_words(line.error)}" if line.error else ""
        return UnreadableEntry(f"the response has no body{why}")
    exchange = Exchange(
        reads=(Read(None, bytes(response.body)),),
        content_type=JSON_TYPE,
        status_code=_status(response.status_code),
    )
    return FoundExchange(exchange, metadata=_told(line, response))


def _words(error: Json) -> str:
    """``batch_expired: not in time``"""
    if not error:
        return "the line does not say why"
    code = shorten(error.get("code") or "") if isinstance(error, dict) else ""
    words = error_message(error)
    return words if not code or code == words else f"{code}: {words}"


def _status(code: int | None) -> int | None:
    return code if code is not None and 100 <= code <= 999 else None


def _told(line: _BatchOutputLine, response: _BatchResponse) -> dict[str, Any]:
    told = {"custom_id": line.custom_id, "batch_id": line.id, "request_id": response.request_id}
    return {name: value for name, value in told.items() if value is not None}


# -- Anthropic -------------------------------------------------------------------------------------


class _BatchResult(msgspec.Struct):
    type: str
    message: Raw = Raw(NULL)
    error: Raw = Raw(NULL)


class _BatchResultLine(msgspec.Struct):
    custom_id: str
    result: _BatchResult


def is_anthropic_batch(look: RecordLook) -> bool:
    result = look.first.get("result")
    is_result = isinstance(result, dict) and result.get("type") in RESULT_TYPES
    return is_result and "custom_id" in look.first


def read_batch_result(text: bytes) -> EntryContent:
    line = msgspec.json.decode(text, type=built(_BatchResultLine))
    result = line.result
    if result.type in ("canceled", "expired"):
        reason = f"the request was {result.type}: it has no answer"
        return PassedOver(reason, is_unanswered=True)
    # An error comes as the object that a call of its own would have been answered with.
    body = bytes(result.message if result.type == "succeeded" else result.error)
    if body == NULL:
        return UnreadableEntry(f"the result is {result.type} and holds nothing")
    exchange = Exchange.of_body(body, JSON_TYPE)
    return FoundExchange(exchange, metadata={"custom_id": line.custom_id})
