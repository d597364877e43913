"""One JSON text of a body: the whole of it, or the data of one event, with the way to its bytes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspector.core.outline import Kind, Outline
from inspector.core.tape import EventKind
from inspector.dashboard.capture_view import CaptureView

WITH_DATA = frozenset({EventKind.CHUNK, EventKind.ERROR, EventKind.TAIL})
_LINE = re.compile(rb"[^\r\n]+")
_DATA = re.compile(rb"data:? ?")


@dataclass(frozen=True)
class JsonSource:
    """``pieces``: where each piece of the text begins, in the text and in the body."""

    text: bytes
    pieces: tuple[tuple[int, int], ...]
    event: int | None = None

    @cached_property
    def outline(self) -> Outline:
        return Outline(self.text)

    @property
    def is_json(self) -> bool:
        """It begins as an object or a list: there is a tree to show."""
        return self.outline.kind(self.outline.start) in (Kind.OBJECT, Kind.LIST)

    def body_byte(self, offset: int) -> int:
        at = bisect_right(self.pieces, offset, key=lambda piece: piece[0]) - 1
        start, byte = self.pieces[max(0, at)]
        return byte + offset - start

    def offset(self, byte: int) -> int | None:
        """Where a byte of the body stands in the text; None for what belongs to no piece."""
        at = bisect_right(self.pieces, byte, key=lambda piece: piece[1]) - 1
        if at < 0:
            return None
        start, first = self.pieces[at]
        end = self.pieces[at + 1][0] if at + 1 < len(self.pieces) else len(self.text)
        return start + byte - first if byte - first < end - start else None


def source_of(view: CaptureView, event: int | None = None) -> JsonSource | None:
    """Of a stream the data of an event, the first with data where none is named; else the body."""
    if view.provenance is None:
        return JsonSource(view.body, ((0, 0),))
    event = next(with_data(view), None) if event is None else event
    if event is None or not 0 <= event < len(view.provenance.tape.events.kind):
        return None
    return event_source(view, event)


def event_source(view: CaptureView, event: int) -> JsonSource:
    """Empty for a comment or an end mark: they hold no data."""
    assert view.provenance is not None
    events = view.provenance.tape.events
    if events.kind[event] not in WITH_DATA:
        return JsonSource(b"", ((0, events.byte_start[event]),), event)
    start, end = events.byte_start[event], events.byte_end[event]
    lines = [match.span() for match in _LINE.finditer(view.body, start, end)]
    fields = [(match.end(), line_end) for line_start, line_end in lines
              if (match := _DATA.match(view.body, line_start, line_end))]  # fmt: skip
    return joined(view.body, fields or lines, event)


def joined(body: bytes, spans: list[tuple[int, int]], event: int) -> JsonSource:
    """The lines of an event's data as one text, as a client joins them."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append((at, start))
        at += end - start + 1
    text = b"\n".join(body[start:end] for start, end in spans)
    return JsonSource(text, tuple(pieces) or ((0, 0),), event)


def with_data(view: CaptureView, after: int = -1, step: int = 1) -> Iterator[int]:
    """The events that hold data, in one direction from one that is left out."""
    kinds = view.provenance.tape.events.kind if view.provenance else []
    at = after + step
    while 0 <= at < len(kinds):
        if kinds[at] in WITH_DATA:
            yield at
        at += step
