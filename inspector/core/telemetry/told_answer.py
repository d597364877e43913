"""The answer that a span tells, as one object: what ``otel-genai`` reads.

Members of the span keep their names. Attributes stand under their own names, but for those with the
answer itself: messages, token counts, an error.
"""

import json
from collections.abc import Mapping

import msgspec

from inspector.core.json import Json
from inspector.core.telemetry.message_parts import Message, structured
from inspector.core.telemetry.model_calls import SYSTEMS, why_no_model_call
from inspector.core.telemetry.placed_text import Path, Places, plain
from inspector.core.telemetry.span_record import SpanRecord, only_span
from inspector.core.telemetry.told_messages import output_messages

USAGE_PREFIXES = ("gen_ai.usage.", "llm.token_count.", "llm.usage.")
MESSAGE_PREFIXES = (
    "gen_ai.completion",
    "gen_ai.input.messages",
    "gen_ai.output.messages",
    "gen_ai.prompt",
    "llm.input_messages.",
    "llm.output_messages.",
)
REASONS = ("gen_ai.response.finish_reasons", "llm.finish_reason")
SPAN_TYPE = "logfire.span_type"
STATUS_ERROR = (2, "STATUS_CODE_ERROR")


class ToldAnswer(msgspec.Struct, frozen=True):
    """``places`` leads from texts of the answer to where they stand in the record."""

    answer: dict[str, Json]
    places: Places

    @property
    def text(self) -> bytes:
        """The answer in JSON."""
        return json.dumps(self.answer, ensure_ascii=False).encode(errors="replace")


def told_answer(value: Mapping[str, Json]) -> ToldAnswer | None:
    """Return the answer in a record with exactly one span; None if that tells of no completion."""
    record = only_span(value)
    if record is None or why_no_model_call(record) is not None:
        return None
    places: dict[Path, Path] = {}
    return ToldAnswer(plain(_answer(record), (), places), places)


def is_told_later(record: SpanRecord) -> bool:
    """Tell whether a span is that of a streamed call's beginning: Logfire makes one when the call
    is made, and another (a log) with the answer when the stream has ended.
    """
    tells = (_choices(record), _usage(record), _error(record))
    return record.text(SPAN_TYPE) == "span" and not any(tells)


def _answer(record: SpanRecord) -> dict[str, Json]:
    told = {
        "response_id": record.text("gen_ai.response.id") or _id_of_output(record),
        "response_model": record.text("gen_ai.response.model", "llm.model_name"),
        "provider": record.text(*SYSTEMS, "llm.provider", "llm.system"),
        "messages": _choices(record),
        "usage": _usage(record),
        "error": _error(record),
    }
    kept = {name: it for name, it in record.span.items() if name not in ("attributes", "events")}
    return {
        **kept,
        "attributes": {n: it for n, it in record.attributes.items() if not _is_told(n)},
        "events": [
            {"name": e.name, "timeUnixNano": e.at_ns, "attributes": dict(e.attributes)}
            for e in record.events
        ],
        "resource": dict(record.resource),
        "scope": dict(record.scope),
        **{name: it for name, it in told.items() if it is not None},
    }


def _id_of_output(record: SpanRecord) -> str | None:
    """Return the id in the object that OpenInference has of the whole answer."""
    output = structured(record.attributes.get("output.value"))
    stated = output.get("id") if isinstance(output, dict) else None
    return stated if isinstance(stated, str) and stated else None


def _is_told(name: str) -> bool:
    """Tell whether an attribute stands elsewhere in the answer, or in the request."""
    return name.startswith((*USAGE_PREFIXES, *MESSAGE_PREFIXES))


def _choices(record: SpanRecord) -> list[Message] | None:
    """Return the messages with their finish reasons; where only reasons are told, one for each."""
    told = output_messages(record)
    reasons = _finish_reasons(record)
    if not told:
        return [{"finish_reason": reason} for reason in reasons] or None
    if len(reasons) != len(told):
        return told
    return [{"finish_reason": r, **m} for r, m in zip(reasons, told, strict=True)]


def _finish_reasons(record: SpanRecord) -> list[Json]:
    """Return a list, its JSON text, or one reason."""
    found = next((record.attributes[name] for name in REASONS if name in record.attributes), None)
    spelt = structured(found)
    reasons = spelt if isinstance(spelt, list) else [found]
    return [reason for reason in reasons if isinstance(reason, str) and reason]


def _usage(record: SpanRecord) -> dict[str, Json] | None:
    """Token counts under the whole names of their attributes."""
    found = {n: it for n, it in record.attributes.items() if n.startswith(USAGE_PREFIXES)}
    return found or None


def _error(record: SpanRecord) -> dict[str, Json] | None:
    status = record.span.get("status")
    status = status if isinstance(status, dict) else {}
    kind = record.text("error.type")
    if kind is None and status.get("code") not in STATUS_ERROR:
        return None
    thrown = next((e.attributes for e in record.events if e.name == "exception"), {})
    message = status.get("message") or thrown.get("exception.message")
    told = {"type": kind or thrown.get("exception.type"), "message": message}
    return {name: it for name, it in told.items() if it is not None}
