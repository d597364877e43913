"""The lines of a body, one after another as they come, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto


class Fault(Enum):
    TOO_LONG = auto()
    UNTERMINATED = auto()


@dataclass(frozen=True, slots=True)
class Line:
    number: int
    text: bytes = b""
    fault: Fault | None = None
    """What is wrong with it; its text is dropped then."""


def lines(pieces: Iterable[bytes], longest: int) -> Iterator[Line]:
    """Without their newlines. A last line without one may be cut, and is told so."""
    number, kept, length = 1, bytearray(), 0
    for piece in pieces:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            kept += end
            yield _line(number, kept, length + len(end), longest)
            number, kept, length = number + 1, bytearray(), 0
        length += len(rest)
        if length <= longest:
            kept += rest
        else:
            kept.clear()
    if length:
        yield Line(number, fault=Fault.UNTERMINATED)


def _line(number: int, text: bytearray, length: int, longest: int) -> Line:
    if length > longest:
        return Line(number, fault=Fault.TOO_LONG)
    return Line(number, bytes(text))
