"""The tape of one assembly while it grows, with what is derived from its rows as they come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from inspector.core.fold.assembly import Assembly
from inspector.core.formats import Dialect
from inspector.core.lane_texts import SnapshotPiece, grown_text, snapshot_deltas
from inspector.core.progress.arrivals import Arrivals
from inspector.core.progress.head import HeadReader
from inspector.core.progress.lane_names import lane_name
from inspector.core.progress.reads_so_far import ReadsSoFar
from inspector.core.progress.snapshot_lanes import SnapshotLanes
from inspector.core.so_far import HeadSoFar, NamedLane
from inspector.core.tape import LaneKind, LaneMode

SnapshotNumbers = frozenset[int]
"""Numbers of the lanes that are drawn as snapshots."""


class GrowingTape:
    """The tape of one assembly, as far as it has grown. ``chosen`` is a dialect that a person
    chose.
    """

    def __init__(self, assembly: Assembly, reads: ReadsSoFar, chosen: Dialect | None) -> None:
        self.assembly = assembly
        self.tape = assembly.tape
        self._reads = reads
        self._arrivals = Arrivals(assembly.tape, reads)
        self._head = HeadReader(assembly, chosen)
        self._snapshot_lanes = SnapshotLanes(assembly.tape)
        self._pieces = 0
        """Pieces that were taken."""
        self._last_events: dict[int, int] = {}
        """The event of the last piece of each lane."""
        self._numbers: list[int] = []
        """Of each lane, how many of its kind its choice has up to it."""
        self._counts: Counter[tuple[int, LaneKind]] = Counter()

    def take_new(self) -> None:
        """Take the rows that came since."""
        tape, start = self.tape, self._pieces
        self._arrivals.take_new()
        self._last_events.update(
            zip(tape.piece_lane[start:], tape.piece_event[start:], strict=True)
        )
        self._pieces = len(tape.piece_lane)
        for lane in tape.lanes[len(self._numbers) :]:
            self._counts[lane.choice, lane.kind] += 1
            self._numbers.append(self._counts[lane.choice, lane.kind])

    def snapshots(self) -> SnapshotNumbers:
        """The lanes that are snapshots by all that came so far."""
        return self._snapshot_lanes.found(self._head.dialect())

    def head(self) -> HeadSoFar:
        return self._head.head(self._reads.byte_length, self._arrivals, self._last_events)

    def lanes_since(self, start: int, snapshots: SnapshotNumbers) -> list[NamedLane]:
        """The lanes from this number on."""
        choices = self.assembly.answer.choices
        return [
            NamedLane(
                choice=lane.choice,
                kind=lane.kind,
                tool_call=lane.tool_call,
                mode=LaneMode.SNAPSHOT if number in snapshots else lane.mode,
                name=lane_name(choices.get(lane.choice), number, lane, self._numbers[number]),
            )
            for number, lane in enumerate(self.tape.lanes[start:], start)
        ]

    def texts_of(
        self, pieces: Iterable[int], snapshots: SnapshotNumbers
    ) -> list[tuple[int, str | list[SnapshotPiece]]]:
        """The texts of the newest pieces, of which these are the lanes."""
        found = list[tuple[int, str | list[SnapshotPiece]]]()
        for lane, number in Counter(pieces).items():
            parts = self.tape.parts[lane]
            first = len(parts) - number
            before = parts[first - 1] if first else ""
            if lane in snapshots:
                found.append((lane, snapshot_deltas(parts[first:], before)))
            else:
                found.append((lane, grown_text(before, parts[first:])))
        return found
