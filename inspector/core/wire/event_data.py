"""The JSON text of an event, with the mapping from its bytes to those of the body."""

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from inspector.core.wire.event_frames import payload_range
from inspector.core.wire.framing import QUOTED_LINE

ByteRange = tuple[int, int]
"""First byte and end (exclusive)."""

# As in "data: {" and "data: }" of one event.
_LINE = re.compile(rb"[^\r\n]+").finditer
# As in "data: ".
_DATA = re.compile(rb"data(?:: ?|$)").match
_OPENING = re.compile(rb"[{\[]").search


class EventData(msgspec.Struct, frozen=True):
    """``pieces`` maps the text to the body: for each contiguous piece, its start in both."""

    text: bytes
    pieces: tuple[ByteRange, ...]

    def body_ranges(self, start: int, end: int) -> tuple[ByteRange, ...]:
        """Return where a part of the text stands; joined data lines have their line end there."""
        found: list[ByteRange] = []
        at = bisect_right(self.pieces, start, key=lambda piece: piece[0]) - 1
        while at < len(self.pieces) and self.pieces[at][0] < end:
            first, byte = self.pieces[at]
            following = self.pieces[at + 1][0] if at + 1 < len(self.pieces) else len(self.text)
            inside, beyond = max(start, first), min(end, following)
            if inside < beyond:
                found.append((byte + inside - first, byte + beyond - first))
            at += 1
        return tuple(found)


def data_candidates(body: bytes, start: int, end: int) -> Iterator[EventData]:
    """Yield the texts that an event may hold, the likeliest first.

    Of a frame its payload. Of lines, first their data, joined as a client does; then the JSON text
    as it stands; then the same without ``>`` at the start of lines, for streams pasted from a
    quotation.
    """
    if framed := payload_range(body, start, end):
        yield EventData(body[slice(*framed)], ((0, framed[0]),))
        return
    lines = [match.span() for match in _LINE(body, start, end)]
    fields = [(name.end(), last) for first, last in lines if (name := _DATA(body, first, last))]
    if fields:
        yield _join_data_lines(body, fields)
    opening = _OPENING(body, start, end)
    if opening is None:
        return
    text = body[opening.start() : end]
    yield EventData(text, ((0, opening.start()),))
    if b">" in text:
        yield _join_data_lines(body, list(_strip_quote_marks(body, opening.start(), end)))


def _join_data_lines(body: bytes, spans: list[ByteRange]) -> EventData:
    pieces: list[ByteRange] = []
    at = 0
    for first, last in spans:
        pieces.append((at, first))
        at += last - first + 1
    return EventData(b"\n".join(body[first:last] for first, last in spans), tuple(pieces))


def _strip_quote_marks(body: bytes, start: int, end: int) -> Iterator[ByteRange]:
    for quoted in QUOTED_LINE.finditer(body, start, end):
        yield start, quoted.start()
        start = quoted.end()
    yield start, end
