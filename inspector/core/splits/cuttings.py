"""Ways to deliver the bytes of one body: cut at a byte, byte by byte, with other line ends."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

import msgspec

MAX_PLACES = 20_000
"""Places at which a body is cut; of a longer body, a sample."""
_LINE_END = re.compile(rb"\r\n|\r|\n")
_NOTABLE = re.compile(rb"\r\n?|\n|[\xc2-\xf4][\x80-\xbf]+")


class CuttingKind(StrEnum):
    """How a body is delivered otherwise than in one read."""

    AT_BYTE = "at-byte"
    BYTE_BY_BYTE = "byte-by-byte"
    LINE_ENDS = "line-ends"


class LineEnd(StrEnum):
    """What ends a line."""

    LF = "LF"
    CRLF = "CRLF"
    CR = "CR"


LINE_END_BYTES = {LineEnd.LF: b"\n", LineEnd.CRLF: b"\r\n", LineEnd.CR: b"\r"}


class Cutting(msgspec.Struct, frozen=True):
    """One way to deliver a body. ``byte``: where the second of two reads begins; ``line_end``: what
    ends every line instead of what was sent; ``is_coded``: the body is delivered as it was sent,
    compressed, and the byte is one of these.
    """

    kind: CuttingKind
    byte: int | None = None
    line_end: LineEnd | None = None
    is_coded: bool = False

    @classmethod
    def at(cls, byte: int) -> Cutting:
        return cls(CuttingKind.AT_BYTE, byte=byte)

    @classmethod
    def with_line_ends(cls, line_end: LineEnd) -> Cutting:
        return cls(CuttingKind.LINE_ENDS, line_end=line_end)

    def parts(self, body: bytes) -> list[bytes]:
        """The reads in which the body is delivered; none of them is empty."""
        if self.kind is CuttingKind.BYTE_BY_BYTE:
            return [body[at : at + 1] for at in range(len(body))]
        if self.line_end is not None:
            return [with_line_ends(body, self.line_end)]
        return [part for part in (body[: self.byte], body[self.byte :]) if part]

    @property
    def words(self) -> str:
        """Names the cutting inside a sentence, as in "where this stream is cut at byte 1,204"."""
        return self._words + (" in its compressed form" if self.is_coded else "")

    @property
    def _words(self) -> str:
        if self.kind is CuttingKind.BYTE_BY_BYTE:
            return "is read byte by byte"
        if self.line_end is not None:
            return f"has {self.line_end} line ends"
        return f"is cut at byte {self.byte:,}"


BYTE_BY_BYTE = Cutting(CuttingKind.BYTE_BY_BYTE)


def with_line_ends(body: bytes, line_end: LineEnd) -> bytes:
    return _LINE_END.sub(LINE_END_BYTES[line_end], body)


def other_line_ends(body: bytes, framing_allows: Sequence[LineEnd]) -> tuple[LineEnd, ...]:
    """Returns the line ends with which the body becomes another body."""
    return tuple(end for end in framing_allows if with_line_ends(body, end) != body)


def cut_places(body: bytes, most: int = MAX_PLACES) -> Sequence[int]:
    """The bytes at which to cut a body in two, in ascending order: all of them, or a sample of
    ``most`` that is always the same for the same body: half of it beside line ends and inside
    characters, where readers differ, the others spread evenly.
    """
    places = range(1, len(body))
    if len(places) <= most:
        return places
    notable = evenly(list(_notable_places(body)), most // 2)
    others = evenly(places, most)
    # Both may name the same place, so that what is missing is taken from the even ones.
    chosen = set(notable)
    chosen.update(evenly([at for at in others if at not in chosen], most - len(chosen)))
    return sorted(chosen)


def evenly(places: Sequence[int], most: int) -> Sequence[int]:
    """Returns at most so many of them, evenly spread, the first and the last included."""
    if len(places) <= most:
        return places
    if most < 2:
        return places[:most]
    return [places[at * (len(places) - 1) // (most - 1)] for at in range(most)]


def _notable_places(body: bytes) -> Iterator[int]:
    """Places before, inside and behind line ends, and inside characters of several bytes."""
    last = 0
    for found in _NOTABLE.finditer(body):
        is_line_end = body[found.start()] in b"\r\n"
        begin = found.start() if is_line_end else found.start() + 1
        end = found.end() if is_line_end else found.end() - 1
        for at in range(max(begin, last + 1), min(end, len(body) - 1) + 1):
            if at > 0:
                last = at
                yield at
