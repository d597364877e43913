"""Whole answers, one after the other: in lines, or as the items of a list. A stream can look the
same (Ollama's lines, Gemini's list), so that the first record decides: where it is a finished
answer, what follows it is another one.
"""

from inspector.core.wire.exchange import Exchange
from inspector.transfer.entries import EntryContent, FoundExchange, UnreadableEntry
from inspector.transfer.files.batches import JSON_TYPE
from inspector.transfer.files.records import JsonObject, RecordLook

FINISHED_STATUS = ("completed", "failed", "incomplete", "cancelled")


def is_answer_lines(look: RecordLook) -> bool:
    return look.has_more and is_finished_answer(look.first)


def is_finished_answer(value: JsonObject) -> bool:
    """Tell whether the object is a whole answer of any format, so that nothing continues it."""
    return (
        _is_finished_completion(value)
        or (value.get("type") == "message" and bool(value.get("stop_reason")))
        or (value.get("object") == "response" and value.get("status") in FINISHED_STATUS)
        or (isinstance(value.get("candidates"), list) and _has_finish(value, "candidates"))
        or value.get("done") is True
    )


def read_answer(text: bytes) -> EntryContent:
    if not text.startswith(b"{"):
        return UnreadableEntry("this is no JSON object")
    return FoundExchange(Exchange.of_body(text, JSON_TYPE))


def _is_finished_completion(value: JsonObject) -> bool:
    choices = value.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return False
    is_whole = "message" in choices[0] or "text" in choices[0]
    return is_whole and _has_finish(value, "choices")


def _has_finish(value: JsonObject, name: str) -> bool:
    reasons = ("finish_reason", "finishReason")
    return any(isinstance(one, dict) and any(map(one.get, reasons)) for one in value[name])
