"""Which lanes are snapshots by all that came so far, each piece looked at once."""

from __future__ import annotations

from inspector.core.formats import Dialect
from inspector.core.formats.dialect import are_increments
from inspector.core.tape import LaneKind, TapeBuilder

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

    def found(self, dialect: Dialect | None) -> frozenset[int]:
        """Numbers of the lanes that are snapshots in this dialect."""
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
