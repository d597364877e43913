"""The JSON text that an event holds, with the way from its bytes to those of the body."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

import msgspec

from inspector.core.pasting.excerpts import QUOTED_LINE

Range = tuple[int, int]
"""First byte and end (exclusive)."""

_LINE = re.compile(rb"[^\r\n]+").finditer
_DATA = re.compile(rb"data(?:: ?|$)").match
_OPENING = re.compile(rb"[{\[]").search


class EventData(msgspec.Struct, frozen=True):
    """``pieces``: where each piece of the text begins, in the text and in the body."""

    text: bytes
    pieces: tuple[Range, ...]

    def body_ranges(self, start: int, end: int) -> tuple[Range, ...]:
        """Where a part of the text stands in the body; what joins two lines is the end of one."""
        found: list[Range] = []
        at = bisect_right(self.pieces, start, key=lambda piece: piece[0]) - 1
        while at < len(self.pieces) and self.pieces[at][0] < end:
            first, byte = self.pieces[at]
            following = self.pieces[at + 1][0] if at + 1 < len(self.pieces) else len(self.text)
            inside, beyond = max(start, first), min(end, following)
            if inside < beyond:
                found.append((byte + inside - first, byte + beyond - first))
            at += 1
        return tuple(found)


def data_of(body: bytes, start: int, end: int) -> Iterator[EventData]:
    """What the bytes of an event may hold, the likeliest first.

    The data of its lines, as a client joins them; else its JSON text as it stands, and that text
    without the ``>`` at the beginning of its lines, for a stream may have been pasted.
    """
    lines = [match.span() for match in _LINE(body, start, end)]
    fields = [(name.end(), last) for first, last in lines if (name := _DATA(body, first, last))]
    if fields:
        yield _joined(body, fields)
    opening = _OPENING(body, start, end)
    if opening is None:
        return
    text = body[opening.start() : end]
    yield EventData(text, ((0, opening.start()),))
    if b">" in text:
        yield _joined(body, list(_unquoted(body, opening.start(), end)))


def _joined(body: bytes, spans: list[Range]) -> EventData:
    pieces: list[Range] = []
    at = 0
    for first, last in spans:
        pieces.append((at, first))
        at += last - first + 1
    return EventData(b"\n".join(body[first:last] for first, last in spans), tuple(pieces))


def _unquoted(body: bytes, start: int, end: int) -> Iterator[Range]:
    for quoted in QUOTED_LINE.finditer(body, start, end):
        yield start, quoted.start()
        start = quoted.end()
    yield start, end
