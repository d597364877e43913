"""The tape: columns from which timeline, provenance, scrubber, replay and live view are drawn.

From the tape alone: character to event is a bisection in a lane's pieces, event to characters the
reverse, the state at a moment a prefix of each lane (of a snapshot lane, its last piece).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from inspector.core.exchange import Clock


class EventKind(StrEnum):
    CHUNK = "chunk"
    COMMENT = "comment"
    ERROR = "error"
    END_MARK = "end-mark"
    IGNORED = "ignored"
    TAIL = "tail"


class LaneKind(StrEnum):
    CONTENT = "content"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    TEXT = "text"
    TOOL_CALL = "tool-call"
    FUNCTION_CALL = "function-call"


class LaneMode(StrEnum):
    APPEND = "append"
    SNAPSHOT = "snapshot"


class MarkKind(StrEnum):
    ROLE = "role"
    FINISH = "finish"
    USAGE = "usage"


class Lane(msgspec.Struct, frozen=True):
    """One text that grows. ``tool_call`` is the position in the choice's ``tool_calls``."""

    choice: int
    kind: LaneKind
    tool_call: int | None = None
    mode: LaneMode = LaneMode.APPEND


class ReadColumns(msgspec.Struct, frozen=True):
    """``at_us`` is empty where the clock is none; ``byte_end`` is exclusive."""

    at_us: list[int]
    byte_end: list[int]


class EventColumns(msgspec.Struct, frozen=True):
    """``byte_end`` is exclusive and ends with the byte that completed the event."""

    byte_start: list[int]
    byte_end: list[int]
    kind: list[EventKind]


class MarkColumns(msgspec.Struct, frozen=True):
    """``lane`` is None where a mark belongs to no lane (usage, a choice without text)."""

    event: list[int]
    lane: list[int | None]
    kind: list[MarkKind]


class PieceColumns(msgspec.Struct, frozen=True):
    """The characters that one event gave to one lane, in UTF-16 units (what browsers select in)."""

    event: list[int]
    lane: list[int]
    start_u16: list[int]
    length_u16: list[int]


class Tape(msgspec.Struct, frozen=True):
    clock: Clock
    reads: ReadColumns
    events: EventColumns
    lanes: list[Lane]
    marks: MarkColumns
    pieces: PieceColumns

    def read_of(self, event: int) -> int:
        """The read that completed an event."""
        ends, last = self.reads.byte_end, self.events.byte_end[event] - 1
        return min(bisect_right(ends, last), len(ends) - 1)

    def arrival_us(self, event: int) -> int | None:
        """When an event was complete; None where nobody noted the times."""
        at_us = self.reads.at_us
        return at_us[self.read_of(event)] if at_us and self.clock is not Clock.NONE else None

    def text_start_u16(self, lane: int) -> int:
        """Where the text begins that a lane came to: of snapshots the last one holds."""
        if self.lanes[lane].mode is LaneMode.APPEND:
            return 0
        places = zip(reversed(self.pieces.lane), reversed(self.pieces.start_u16), strict=True)
        return next((start for each, start in places if each == lane), 0)

    def last_words(self, choices: Iterable[int]) -> dict[int, int]:
        """The event of each of these choices' last piece; without those that never said one."""
        sought, found = set(choices), dict[int, int]()
        for event, lane in zip(
            reversed(self.pieces.event), reversed(self.pieces.lane), strict=True
        ):
            if not sought:
                break
            choice = self.lanes[lane].choice
            if choice in sought:
                sought.remove(choice)
                found[choice] = event
        return found


Snapshots = dict[int, tuple[str, ...]]
"""The pieces of each snapshot lane by its number; those of other lanes follow from the text."""


class TapeBuilder:
    """Grows the columns while the events come in; knows nothing of what they mean."""

    def __init__(self) -> None:
        self.byte_start: list[int] = []
        self.byte_end: list[int] = []
        self.kind: list[EventKind] = []
        self.lanes: list[Lane] = []
        self._lane_length_u16: list[int] = []
        self._mark_event: list[int] = []
        self._mark_choice: list[int | None] = []
        self._mark_lane: list[int | None] = []
        self._mark_kind: list[MarkKind] = []
        self.piece_event: list[int] = []
        self._piece_lane: list[int] = []
        self._piece_start_u16: list[int] = []
        self._piece_length_u16: list[int] = []

    def event(self, byte_start: int, byte_end: int, kind: EventKind) -> int:
        """Append one event and return its number."""
        self.byte_start.append(byte_start)
        self.byte_end.append(byte_end)
        self.kind.append(kind)
        return len(self.kind) - 1

    def lane(self, lane: Lane) -> int:
        self.lanes.append(lane)
        self._lane_length_u16.append(0)
        return len(self.lanes) - 1

    def piece(self, event: int, lane: int, text: str) -> None:
        length = len(text) if text.isascii() else length_u16(text)
        start = self._lane_length_u16[lane]
        self._lane_length_u16[lane] = start + length
        self.piece_event.append(event)
        self._piece_lane.append(lane)
        self._piece_start_u16.append(start)
        self._piece_length_u16.append(length)

    def mark(self, event: int, choice: int | None, lane: int | None, kind: MarkKind) -> None:
        """``lane`` None: the choice has said nothing yet, its first lane will be drawn on."""
        self._mark_event.append(event)
        self._mark_choice.append(choice)
        self._mark_lane.append(lane)
        self._mark_kind.append(kind)

    @property
    def counts(self) -> tuple[int, int]:
        """How many pieces and how many marks there are."""
        return len(self.piece_event), len(self._mark_event)

    def tape(self, clock: Clock, at_us: list[int], byte_end: list[int]) -> Tape:
        return Tape(
            clock=clock,
            reads=ReadColumns(at_us=at_us if clock is not Clock.NONE else [], byte_end=byte_end),
            events=EventColumns(list(self.byte_start), list(self.byte_end), list(self.kind)),
            lanes=list(self.lanes),
            marks=MarkColumns(list(self._mark_event), self._drawn_on(), list(self._mark_kind)),
            pieces=PieceColumns(
                list(self.piece_event),
                list(self._piece_lane),
                list(self._piece_start_u16),
                list(self._piece_length_u16),
            ),
        )

    def _drawn_on(self) -> list[int | None]:
        first: dict[int | None, int] = {}
        for number, lane in enumerate(self.lanes):
            first.setdefault(lane.choice, number)
        marks = zip(self._mark_lane, self._mark_choice, strict=True)
        return [first.get(choice) if lane is None else lane for lane, choice in marks]


def length_u16(text: str) -> int:
    """Length in UTF-16 units; half of a surrogate pair, sent alone, counts one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
