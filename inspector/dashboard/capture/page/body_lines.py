"""Splits a body into lines with offsets; line ends are CR, LF and CRLF as in an event stream. Of
binary frames each is a line.
"""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, compress, count, islice
from typing import NamedTuple

from inspector.core.wire.event_frames import (
    PRELUDE,
    Frame,
    FrameSplitter,
    FrameTail,
    begins_frame,
)


class BodyLine(NamedTuple):
    """``number`` is 1-based; ``end`` is exclusive and before the line end."""

    number: int
    start: int
    end: int

    @property
    def length(self) -> int:
        return self.end - self.start


class Lines:
    """Lines by their position, each made when it is looked at: a long stream has a hundred thousand
    of them, of which a page shows a few.
    """

    def __init__(self, numbers: Iterable[int], starts: Iterable[int], lengths: Iterable[int]):
        self._starts, self._lengths = [*starts], [*lengths]
        self._numbers = [*islice(numbers, len(self._starts))]

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, position: int) -> BodyLine:
        start = self._starts[position]
        return BodyLine(self._numbers[position], start, start + self._lengths[position])

    def position_of(self, byte: int) -> int:
        """Return the position of the last line that begins at a byte or before it; -1: none."""
        return bisect_right(self._starts, byte) - 1


@dataclass(frozen=True)
class BodyLines:
    body: bytes

    @cached_property
    def all(self) -> Lines:
        """Every line that is not empty."""
        if begins_frame(self.body[:PRELUDE]):
            return self._frames()
        # On bytes, splitlines() splits at exactly these three line ends.
        lengths = [*map(len, self.body.splitlines())]
        starts = accumulate(map(len, self.body.splitlines(keepends=True)), initial=0)
        return Lines(compress(count(1), lengths), compress(starts, lengths), filter(None, lengths))

    def _frames(self) -> Lines:
        splitter = FrameSplitter()
        frames: list[Frame | FrameTail] = [*splitter.feed(self.body)]
        if tail := splitter.tail():
            frames.append(tail)
        lengths = [frame.byte_end - frame.byte_start for frame in frames]
        return Lines(count(1), [frame.byte_start for frame in frames], lengths)

    def position_of(self, byte: int) -> int:
        """Index in ``all`` of the line that contains the byte; of the line before it for a byte of
        a line end, and 0 if there are no lines.
        """
        return max(0, self.all.position_of(byte))

    def number_at(self, byte: int) -> int:
        """1-based line number for a body offset, empty lines counted; 1 if there are no lines."""
        return self.all[self.position_of(byte)].number if self.all else 1

    def bytes_of(self, line: BodyLine) -> bytes:
        return self.body[line.start : line.end]
