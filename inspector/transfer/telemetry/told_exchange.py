"""One span as an exchange: its document is the evidence, what it tells of the call stands beside
it. No read gets a time: a span says when a call began and ended, not when bytes came.
"""

from datetime import UTC, datetime
from typing import Any

import msgspec

from inspector.core.json import Json
from inspector.core.telemetry.model_calls import why_no_model_call
from inspector.core.telemetry.placed_text import plain
from inspector.core.telemetry.span_record import SpanRecord, only_span
from inspector.core.telemetry.told_answer import SPAN_TYPE, is_told_later
from inspector.core.telemetry.told_request import told_request
from inspector.core.wire.exchange import Exchange, Request
from inspector.transfer.entries import EntryContent, FoundExchange, PassedOver, UnreadableEntry
from inspector.transfer.moments import present

JSON_TYPE = "application/json"
FIRST_CHUNK = "gen_ai.response.time_to_first_chunk"
"""Seconds from the request on, by the current convention."""
FIRST_EVENTS = frozenset({"First Token Stream Event", "gen_ai.content.completion.chunk"})
NANOSECONDS = 1_000_000_000


def told_exchange(document: bytes) -> EntryContent:
    """``document`` holds one span, as ``one_span_documents`` gives it."""
    record = only_span(msgspec.json.decode(document))
    if record is None:
        return UnreadableEntry("the span is no object")
    if span_id(record) is None:
        return UnreadableEntry("the span has no valid traceId and spanId")
    if (why := why_no_model_call(record)) is not None:
        return PassedOver(why)
    if is_told_later(record):
        return PassedOver("the beginning of a stream, whose end another span tells")
    body = told_request(record)
    exchange = Exchange(
        reads=Exchange.of_body(document).reads,
        content_type=JSON_TYPE,
        request=None if body is None else Request(body=msgspec.json.encode(body)),
    )
    return FoundExchange(exchange, _moment(_begun(record)), _told(record))


def span_id(record: SpanRecord) -> tuple[str, str] | None:
    """Trace and span id in small letters; None unless both are hexadecimal and not all zero."""
    trace = _id(record.span.get("traceId"), 32)
    own = _id(record.span.get("spanId"), 16)
    return (trace, own) if trace and own else None


def _id(value: Json, length: int) -> str | None:
    if not isinstance(value, str) or len(value) != length or not value.strip("0"):
        return None
    low = value.lower()
    return low if all(digit in "0123456789abcdef" for digit in low) else None


def _told(record: SpanRecord) -> dict[str, Any]:
    trace, own = span_id(record) or (None, None)
    told = {
        "service": record.resource.get("service.name"),
        "scope": record.scope.get("name"),
        "parent_span": _id(record.span.get("parentSpanId"), 16),
        "first_token_ms": _first_token_ms(record),
        "duration_ms": _milliseconds(record, record.span.get("endTimeUnixNano")),
    }
    named = {
        "trace": trace,
        "span": own,
        "session": record.text("gen_ai.conversation.id", "session.id"),
        "user": record.text("user.id", "enduser.id"),
    }
    return dict(plain(present({**named, "otel": present(told) or None}), (), {}))


def _first_token_ms(record: SpanRecord) -> float | None:
    stated = record.attributes.get(FIRST_CHUNK)
    if isinstance(stated, int | float) and not isinstance(stated, bool) and stated >= 0:
        return round(stated * 1000, 3)
    first = next((event for event in record.events if event.name in FIRST_EVENTS), None)
    return None if first is None else _milliseconds(record, first.at_ns)


def _milliseconds(record: SpanRecord, end: Json) -> float | None:
    """From the beginning of the span on."""
    begun, ended = _begun(record), _nanoseconds(end)
    if begun is None or ended is None or ended < begun:
        return None
    return round((ended - begun) / 1_000_000, 3)


def _begun(record: SpanRecord) -> int | None:
    """Logfire's log of a stream is a moment at its end, and says how many seconds that took."""
    begun = _nanoseconds(record.span.get("startTimeUnixNano"))
    took = record.attributes.get("duration")
    is_log = record.text(SPAN_TYPE) == "log" and not isinstance(took, bool)
    if begun is None or not is_log or not isinstance(took, int | float):
        return begun
    return begun - round(took * NANOSECONDS) if 0 <= took < begun / NANOSECONDS else begun


def _moment(count: int | None) -> datetime | None:
    try:
        return None if count is None else datetime.fromtimestamp(count / NANOSECONDS, UTC)
    except (OverflowError, OSError, ValueError):
        return None


def _nanoseconds(sent: Json) -> int | None:
    """OTLP writes 64 bits as text; some writers send a number. 0 means that it is not known."""
    # 2**64 has 20 digits.
    if isinstance(sent, str) and sent.isascii() and sent.isdecimal() and len(sent) <= 20:
        return int(sent) or None
    return sent if type(sent) is int and 0 < sent < 1 << 64 else None
