"""Splits a body into lines with offsets; line ends are CR, LF and CRLF as in an event stream. Of
binary frames each is a line.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from inspector.core.wire.event_frames import PRELUDE, FrameSplitter, begins_frame


class BodyLine(NamedTuple):
    """``number`` is 1-based; ``end`` is exclusive and before the line end.

    A tuple, because a long stream has a hundred thousand of them.
    """

    number: int
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


@dataclass(frozen=True)
class BodyLines:
    body: bytes

    @cached_property
    def all(self) -> list[BodyLine]:
        """Every line that is not empty."""
        if begins_frame(self.body[:PRELUDE]):
            return list(self._frames())
        lines: list[BodyLine] = []
        start = 0
        # On bytes, splitlines() splits at exactly these three line ends.
        for number, line in enumerate(self.body.splitlines(keepends=True), start=1):
            end = start + len(line.rstrip(b"\r\n"))
            if end > start:
                lines.append(BodyLine(number, start, end))
            start += len(line)
        return lines

    def _frames(self) -> Iterator[BodyLine]:
        splitter, number = FrameSplitter(), 0
        for number, frame in enumerate(splitter.feed(self.body), start=1):
            yield BodyLine(number, frame.byte_start, frame.byte_end)
        if tail := splitter.tail():
            yield BodyLine(number + 1, tail.byte_start, tail.byte_end)

    @cached_property
    def starts(self) -> list[int]:
        return [line.start for line in self.all]

    def position_of(self, byte: int) -> int:
        """Index in ``all`` of the line that contains the byte; of the line before it for a byte of
        a line end, and 0 if there are no lines.
        """
        return max(0, bisect_right(self.starts, byte) - 1)

    def number_at(self, byte: int) -> int:
        """1-based line number for a body offset, empty lines counted; 1 if there are no lines."""
        return self.all[self.position_of(byte)].number if self.all else 1

    def bytes_of(self, line: BodyLine) -> bytes:
        return self.body[line.start : line.end]
