"""First-times and the longest gap of a stream, kept as its events come.

They are those of ``timing.timeline``, as long as no time contradicts another: no time is derived
from reads that do.
"""

from __future__ import annotations

from bisect import bisect_left

from inspector.core.progress.reads_so_far import ReadsSoFar
from inspector.core.tape import EventKind, Lane, LaneKind, TapeBuilder
from inspector.core.timing.timeline import CALL_LANES, CONTENT_LANES
from inspector.core.wire.exchange import Clock


class Arrivals:
    """When the chunks of a tape came, and the first pieces of its texts."""

    def __init__(self, tape: TapeBuilder, reads: ReadsSoFar) -> None:
        self._tape = tape
        self._reads = reads
        self._events = 0
        """Events that were looked at."""
        self._lanes = 0
        self._read = 0
        """The read that completed the last chunk, and its end."""
        self._read_end = 0
        self._last_us: int | None = None
        self._longest_gap_us: int | None = None
        self._first_events: dict[LaneKind, int] = {}
        """The event of the first piece of each kind of lane."""

    def take_new(self) -> None:
        """Take the events and lanes that came since."""
        tape = self._tape
        for number in range(self._lanes, len(tape.lanes)):
            lane: Lane = tape.lanes[number]
            self._first_events.setdefault(lane.kind, tape.piece_event[tape.first_piece[number]])
        self._lanes = len(tape.lanes)
        self._take_events()

    def _take_events(self) -> None:
        tape, ends, start = self._tape, self._reads.byte_end, self._events
        for byte_end, kind in zip(tape.byte_end[start:], tape.kind[start:], strict=True):
            is_chunk = kind is EventKind.CHUNK or kind is EventKind.ERROR
            if is_chunk and byte_end > self._read_end:
                self._read = bisect_left(ends, byte_end, self._read)
                self._read_end = ends[self._read]
                self._arrive(self._reads.at_us[self._read])
        self._events = len(tape.kind)

    def _arrive(self, at_us: int) -> None:
        """Take a read that completed a chunk. Reads with equal times are one arrival."""
        if self._last_us is not None and at_us != self._last_us:
            gap_us = at_us - self._last_us
            self._longest_gap_us = max(gap_us, self._longest_gap_us or 0)
        self._last_us = at_us

    @property
    def longest_gap_us(self) -> int | None:
        return self._longest_gap_us if self._is_timed else None

    @property
    def first_byte_us(self) -> int | None:
        return self._reads.at_us[0] if self._counts_from_request else None

    @property
    def first_reasoning_us(self) -> int | None:
        return self._first((LaneKind.REASONING,))

    @property
    def first_content_us(self) -> int | None:
        return self._first(CONTENT_LANES)

    @property
    def first_tool_call_us(self) -> int | None:
        return self._first(CALL_LANES)

    def _first(self, kinds: tuple[LaneKind, ...]) -> int | None:
        firsts = [self._first_events[kind] for kind in kinds if kind in self._first_events]
        if not firsts or not self._counts_from_request:
            return None
        byte_end = self._tape.byte_end[min(firsts)]
        return self._reads.at_us[bisect_left(self._reads.byte_end, byte_end)]

    @property
    def _is_timed(self) -> bool:
        return self._reads.is_in_order and self._reads.clock is not Clock.NONE

    @property
    def _counts_from_request(self) -> bool:
        return self._is_timed and self._reads.clock is Clock.RECORDED
