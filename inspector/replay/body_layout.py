"""The positions of events and end mark in a body, for faults that refer to them."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator, Mapping

import msgspec

from inspector.core import formats
from inspector.core.completion import Json
from inspector.core.formats.dialect import Dialect, FieldsSeen
from inspector.core.formats.grammar import TypedEvent
from inspector.core.json import parser
from inspector.core.reading import read as read_exchange
from inspector.core.tape import EventColumns, EventKind
from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.event_data import data_candidates
from inspector.core.wire.event_frames import payload_range, read_frame
from inspector.core.wire.exchange import Exchange, Read
from inspector.core.wire.framing import BOM
from inspector.core.wire.sse import Event, Splitter
from inspector.replay.recorded_answer import RecordedAnswer

DONE = b"[DONE]"
MAX_BEHIND_CLOSING = 16
"""Events that may come behind the one that closes an answer: counts, keep-alives, ``[DONE]``."""
_NOTHING: frozenset[str] = frozenset()
ByteRange = tuple[int, int]
"""First byte and end (exclusive)."""


class BodyLayout(msgspec.Struct, frozen=True, kw_only=True):
    """``reads`` are without content coding; all positions count their bytes."""

    reads: tuple[Read, ...]
    coding: str | None
    """The content coding that was undone, None if there was none."""
    fault: str | None
    """Why it could not be undone."""
    dialect: str | None
    event_starts: tuple[int, ...]
    """In the numbering of the analysis: comments and ignored lines count."""
    end_marks: tuple[ByteRange, ...]
    """Each event that ends the stream of its format, up to the next event."""


def layout_of(answer: RecordedAnswer) -> BodyLayout:
    """Reads the answer. Takes as long as an analysis does."""
    known = answer.dialect if answer.dialect in formats.dialects() else None
    exchange = Exchange(
        reads=answer.reads,
        headers=answer.headers,
        content_type=next(
            (value for name, value in answer.headers if name == "content-type"), None
        ),
        status_code=answer.status,
        outcome=answer.outcome,
        dialect=known,
    )
    uncoder = Decompressor(answer.headers)
    reads = [one for read in answer.reads for one in uncoder.feed(read)] + uncoder.end()
    coding = uncoder.coding
    reading = read_exchange(exchange)
    dialect = known or reading.analysis().dialect
    events = reading.tape().events
    body = b"".join(read.data for read in reads)
    return BodyLayout(
        reads=tuple(reads),
        coding=coding.name if coding else None,
        fault=coding.fault if coding else None,
        dialect=dialect,
        event_starts=tuple(events.byte_start),
        end_marks=tuple(_end_marks(body, events, formats.dialects().get(dialect or ""))),
    )


def _end_marks(body: bytes, events: EventColumns, dialect: Dialect | None) -> Iterator[ByteRange]:
    if dialect is None or _is_list(body):
        return
    starts = events.byte_start
    for event, kind in enumerate(events.kind):
        # Each event that is asked is parsed once more. What closes an answer comes last, and a
        # stream may have fifty thousand events before it.
        is_late = event >= len(starts) - MAX_BEHIND_CLOSING
        if kind is EventKind.END_MARK or (is_late and _closes(body, events, event, dialect)):
            yield starts[event], starts[event + 1] if event + 1 < len(starts) else len(body)


def _is_list(body: bytes) -> bool:
    """True for a stream that is one list: what ends it is a bracket, which belongs to no event."""
    return body.removeprefix(BOM).lstrip().startswith(b"[")


def _closes(body: bytes, events: EventColumns, event: int, dialect: Dialect) -> bool:
    """True if this event alone shows that the answer is over."""
    if events.kind[event] not in (EventKind.CHUNK, EventKind.TAIL):
        return False
    start, end = events.byte_start[event], events.byte_end[event]
    data = next(data_candidates(body, start, end), None)
    if data is None:
        return False
    if data.text.strip() == DONE:
        return True
    value = parser.parse_json(data.text).value
    if not isinstance(value, dict):
        return False
    value = _unwrapped(value)
    kinds = frozenset(_types(body[start:end], value, dialect))
    signs = FieldsSeen(
        top=frozenset(value), choice=_NOTHING, message=_NOTHING, objects=_NOTHING, types=kinds
    )
    return dialect.closing_of(signs, value) is not None


def _types(event: bytes, value: Mapping[str, Json], dialect: Dialect) -> Iterator[str]:
    effect = formats.table_of(formats.family_of(dialect)).get("")
    stated = value.get(effect.member) if isinstance(effect, TypedEvent) else None
    if isinstance(stated, str):
        yield stated
    if payload_range(event, 0, len(event)):
        yield read_frame(event, 0).type
    else:
        items = Splitter().feed(event)
        yield from (one.type.decode(errors="replace") for one in items if isinstance(one, Event))


def _unwrapped(value: dict[str, Json]) -> dict[str, Json]:
    """The event of a model's own format that a frame has in base64; else the value itself."""
    text = value.get("bytes")
    if not isinstance(text, str):
        return value
    try:
        inner = parser.parse_json(b64decode(text, validate=True)).value
    except ValueError:
        return value
    return inner if isinstance(inner, dict) else value
