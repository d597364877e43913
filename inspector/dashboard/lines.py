"""A body as lines with their places; the ends of lines are those of an event stream."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


class Line(NamedTuple):
    """``number`` counts from 1; ``end`` is exclusive and leaves the line's end out.

    A tuple, because a long stream has a hundred thousand of them.
    """

    number: int
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class Lines:
    body: bytes

    @cached_property
    def all(self) -> list[Line]:
        """Every line that holds at least one byte."""
        lines: list[Line] = []
        start = 0
        # Of bytes, splitlines knows these three ends and no other.
        for number, line in enumerate(self.body.splitlines(keepends=True), start=1):
            end = start + len(line.rstrip(b"\r\n"))
            if end > start:
                lines.append(Line(number, start, end))
            start += len(line)
        return lines

    @cached_property
    def starts(self) -> list[int]:
        return [line.start for line in self.all]

    def position_of(self, byte: int) -> int:
        """The place in ``all`` of the line that a byte belongs to."""
        return max(0, bisect_right(self.starts, byte) - 1)

    def number_at(self, byte: int) -> int:
        """The number of the line that a byte belongs to; 1 where there is no line."""
        return self.all[self.position_of(byte)].number if self.all else 1

    def bytes_of(self, line: Line) -> bytes:
        return self.body[line.start : line.end]
