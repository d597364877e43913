"""A body as lines with their places; the ends of lines are those of an event stream."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` counts from 1; ``end`` is exclusive and leaves the line's end out."""

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
        for number, match in enumerate(LINE_END.finditer(self.body), start=1):
            if match.start() > start:
                lines.append(Line(number, start, match.start()))
            start = match.end()
        if start < len(self.body):
            number = lines[-1].number if lines else 0
            lines.append(Line(self.count_to(start, number), start, len(self.body)))
        return lines

    def count_to(self, start: int, at_least: int) -> int:
        """The number of the line that begins at a byte."""
        return max(at_least, len(LINE_END.findall(self.body, 0, start)) + 1)

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
