"""The arrivals and ends of all reads as they come."""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core.tape import ReadColumns
from inspector.core.timing.timeline import LATEST_US
from inspector.core.wire.exchange import Clock, Read


class ReadsSoFar:
    """Columns of reads, whose times are looked at once. ``reads`` grows beside them."""

    def __init__(self, reads: Sequence[Read]) -> None:
        self._reads = reads
        self.at_us: list[int] = []
        self.byte_end: list[int] = []
        self.is_in_order = True
        """No time contradicts another."""
        self._has_times = True

    def take_new(self) -> None:
        """Take the reads that came since."""
        new = self._reads[len(self.byte_end) :]
        latest, end = self.at_us[-1] if self.at_us else 0, self.byte_length
        for read in new:
            at_us, end = read.at_us, end + len(read.data)
            self._has_times = self._has_times and at_us is not None
            at_us = at_us or 0
            self.is_in_order = self.is_in_order and latest <= at_us <= LATEST_US
            latest = at_us
            self.at_us.append(at_us)
            self.byte_end.append(end)

    @property
    def byte_length(self) -> int:
        return self.byte_end[-1] if self.byte_end else 0

    @property
    def clock(self) -> Clock:
        if not self.byte_end or not self._has_times:
            return Clock.NONE
        return Clock.RECORDED if self.at_us[0] > 0 else Clock.PARTIAL

    def since(self, start: int) -> ReadColumns:
        """The reads from this number on."""
        at_us = [] if self.clock is Clock.NONE else self.at_us[start:]
        return ReadColumns(at_us, self.byte_end[start:])
