"""Results of Anthropic's Message Batches: a line for each request, in any order. The lines say
neither when an answer came nor what was asked.
"""

from __future__ import annotations

import msgspec
from msgspec import Raw

from inspector.core.wire.exchange import Exchange
from inspector.transfer.files.entries import (
    EntryContent,
    FoundExchange,
    PassedOver,
    UnreadableEntry,
)
from inspector.transfer.files.openai_batch import JSON_TYPE, NULL
from inspector.transfer.files.records import RecordLook

RESULT_TYPES = ("succeeded", "errored", "canceled", "expired")


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
    line = msgspec.json.decode(text, type=_BatchResultLine)
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
