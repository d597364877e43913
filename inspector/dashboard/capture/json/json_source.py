"""One JSON text of a body (the whole body or one event's data), mapped back to body offsets."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspector.core.json.spans import JsonKind, JsonSpans
from inspector.core.tape import EventKind
from inspector.core.wire.event_frames import payload_range
from inspector.dashboard.capture.page.capture_view import CaptureView

WITH_DATA = frozenset({EventKind.CHUNK, EventKind.ERROR, EventKind.TAIL})
# As in "data: {" and "data: }" of one event.
_LINE = re.compile(rb"[^\r\n]+")
# As in "data: ".
_DATA = re.compile(rb"data:? ?")


@dataclass(frozen=True)
class JsonSource:
    """``pieces`` maps the start of each piece of the text to its offset in the body."""

    text: bytes
    pieces: tuple[tuple[int, int], ...]
    event: int | None = None

    @cached_property
    def outline(self) -> JsonSpans:
        return JsonSpans(self.text)

    @property
    def is_json(self) -> bool:
        """True if the text starts as an object or array."""
        return self.outline.kind(self.outline.start) in (JsonKind.OBJECT, JsonKind.LIST)

    def body_byte(self, offset: int) -> int:
        at = bisect_right(self.pieces, offset, key=lambda piece: piece[0]) - 1
        start, byte = self.pieces[max(0, at)]
        return byte + offset - start

    def offset(self, byte: int) -> int | None:
        """Convert a body offset to an offset in the text; None if no piece contains it."""
        at = bisect_right(self.pieces, byte, key=lambda piece: piece[1]) - 1
        if at < 0:
            return None
        start, first = self.pieces[at]
        end = self.pieces[at + 1][0] if at + 1 < len(self.pieces) else len(self.text)
        return start + byte - first if byte - first < end - start else None


def json_source_of(view: CaptureView, event: int | None = None) -> JsonSource | None:
    """Return the data of the given event (default: the first with data), or a body that was no
    stream.
    """
    if view.provenance is None:
        return JsonSource(view.body, ((0, 0),))
    event = next(event_with_data(view), None) if event is None else event
    if event is None or not 0 <= event < len(view.provenance.tape.events.kind):
        return None
    return json_source_of_event(view, event)


def json_source_of_event(view: CaptureView, event: int) -> JsonSource:
    """Return the event's data; empty for a comment or end mark."""
    assert view.provenance is not None
    events = view.provenance.tape.events
    if events.kind[event] not in WITH_DATA:
        return JsonSource(b"", ((0, events.byte_start[event]),), event)
    start, end = events.byte_start[event], events.byte_end[event]
    if framed := payload_range(view.body, start, end):
        return JsonSource(view.body[slice(*framed)], ((0, framed[0]),), event)
    lines = [match.span() for match in _LINE.finditer(view.body, start, end)]
    fields = [(match.end(), line_end) for line_start, line_end in lines
              if (match := _DATA.match(view.body, line_start, line_end))]  # fmt: skip
    return join_data_lines(view.body, fields or lines, event)


def join_data_lines(body: bytes, spans: list[tuple[int, int]], event: int) -> JsonSource:
    """Join the ``data:`` lines of an event with newlines, as SSE clients do."""
    pieces, at = [], 0
    for start, end in spans:
        pieces.append((at, start))
        at += end - start + 1
    text = b"\n".join(body[start:end] for start, end in spans)
    return JsonSource(text, tuple(pieces) or ((0, 0),), event)


def event_with_data(view: CaptureView, after: int = -1, step: int = 1) -> Iterator[int]:
    """Yield the events with data before (``step=-1``) or after an event, excluding it."""
    kinds = view.provenance.tape.events.kind if view.provenance else []
    at = after + step
    while 0 <= at < len(kinds):
        if kinds[at] in WITH_DATA:
            yield at
        at += step
