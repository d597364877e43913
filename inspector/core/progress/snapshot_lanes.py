"""Which lanes are snapshots by all that came so far, each piece looked at once."""

from __future__ import annotations

from inspector.core.fold.said_again import TextsSoFar, are_said_again
from inspector.core.formats import Dialect
from inspector.core.formats.dialect import are_increments
from inspector.core.tape import TEXT_LANES, LaneKind, TapeBuilder

_NONE = frozenset[int]()


class SnapshotLanes:
    """The lanes of a tape whose pieces each say everything again."""

    def __init__(self, tape: TapeBuilder) -> None:
        self._tape = tape
        self._pieces = 0
        """Pieces whose lanes were looked at."""
        self._compared: dict[int, int] = {}
        """How many pieces of a lane were found to be snapshots."""
        self._increments: set[int] = set()
        """Lanes with a piece that is none."""
        self._found = _NONE
        self._looked = 0
        """Pieces of lanes that were looked at for what they say."""
        self._again: set[int] = set()
        self._so_far: dict[int, TextsSoFar] = {}

    def found(self, dialect: Dialect | None) -> frozenset[int]:
        """Numbers of the lanes that are snapshots, in this dialect or by what they say."""
        return self._promised(dialect) | self._said_again()

    def _said_again(self) -> frozenset[int]:
        """The lanes of texts whose pieces say again what came before."""
        tape = self._tape
        for lane in set(tape.piece_lane[self._looked :]):
            so_far = self._so_far.setdefault(lane, TextsSoFar())
            is_text = tape.lanes[lane].kind in TEXT_LANES
            if is_text and are_said_again(tape.parts[lane], so_far):
                self._again.add(lane)
            else:
                self._again.discard(lane)
        self._looked = len(tape.piece_lane)
        return frozenset(self._again)

    def _promised(self, dialect: Dialect | None) -> frozenset[int]:
        if dialect is None or dialect.is_snapshot is are_increments:
            return _NONE
        lanes = set(self._tape.piece_lane[self._pieces :]) - self._increments
        self._pieces = len(self._tape.piece_lane)
        before = len(self._compared)
        turned = [lane for lane in lanes if not self._goes_on(lane, dialect)]
        for lane in turned:
            self._increments.add(lane)
            self._compared.pop(lane, None)
        if turned or len(self._compared) != before:
            self._found = frozenset(self._compared)
        return self._found

    def _goes_on(self, lane: int, dialect: Dialect) -> bool:
        """False if the new pieces of a lane show that it holds increments."""
        if self._tape.lanes[lane].kind is not LaneKind.CONTENT:
            return False
        parts, compared = self._tape.parts[lane], self._compared.get(lane, 1)
        # One piece alone is no snapshot yet.
        if len(parts) > 1:
            if not dialect.is_snapshot([parts[0], *parts[compared:]]):
                return False
            self._compared[lane] = len(parts)
        return True
