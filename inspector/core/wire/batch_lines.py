"""Splits what comes in pieces into lines, each within a length."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum, auto


class LineFault(Enum):
    TOO_LONG = auto()
    UNTERMINATED = auto()


@dataclass(frozen=True, slots=True)
class BatchLine:
    number: int
    text: bytes = b""
    fault: LineFault | None = None
    """Set where the line is refused; its text is then dropped."""


def split_lines(pieces: Iterable[bytes], longest: int) -> Iterator[BatchLine]:
    """Split at newlines, without them. A last line without one may be cut, and is marked so."""
    number, kept, length = 1, bytearray(), 0
    for piece in pieces:
        *ends, rest = piece.split(b"\n")
        for end in ends:
            kept += end
            yield _batch_line(number, kept, length + len(end), longest)
            number, kept, length = number + 1, bytearray(), 0
        length += len(rest)
        if length <= longest:
            kept += rest
        else:
            kept.clear()
    if length:
        yield BatchLine(number, fault=LineFault.UNTERMINATED)


def _batch_line(number: int, text: bytearray, length: int, longest: int) -> BatchLine:
    if length > longest:
        return BatchLine(number, fault=LineFault.TOO_LONG)
    return BatchLine(number, bytes(text))
