"""The tape: columns that the timeline, provenance, scrubber, replay and live view are made from.

All look-ups need only the tape: from character to event by bisection in a lane's pieces, from event
to characters the other way; the state at a moment is a prefix of each lane (in a snapshot lane, its
last piece).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from enum import StrEnum

import msgspec

from inspector.core.json.pointer import pointer_to
from inspector.core.wire.exchange import Clock

Path = tuple[str | int, ...]


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
    """One text that grows. ``tool_call`` is a position in the choice's ``tool_calls``."""

    choice: int
    kind: LaneKind
    tool_call: int | None = None
    mode: LaneMode = LaneMode.APPEND


class ReadColumns(msgspec.Struct, frozen=True):
    """One row per network read. ``at_us`` is empty if no times were recorded; ``byte_end`` is
    exclusive.
    """

    at_us: list[int]
    byte_end: list[int]


class EventColumns(msgspec.Struct, frozen=True):
    """One row per event. ``byte_end`` is exclusive: it follows the byte that completed the
    event.
    """

    byte_start: list[int]
    byte_end: list[int]
    kind: list[EventKind]


class MarkColumns(msgspec.Struct, frozen=True):
    """One row per mark. ``lane`` is null if the mark belongs to none (usage, a choice without
    text).
    """

    event: list[int]
    lane: list[int | None]
    kind: list[MarkKind]


class PieceColumns(msgspec.Struct, frozen=True):
    """One row for the characters that one event added to one lane. ``start_u16`` and ``length_u16``
    count UTF-16 units, as browsers do. ``places`` is a position in the tape's ``places``.
    """

    event: list[int]
    lane: list[int]
    start_u16: list[int]
    length_u16: list[int]
    places: list[int]


class Tape(msgspec.Struct, frozen=True):
    clock: Clock
    reads: ReadColumns
    events: EventColumns
    lanes: list[Lane]
    marks: MarkColumns
    pieces: PieceColumns
    places: list[tuple[str, ...]]
    """Where pieces stand in the JSON of their events, each combination once: JSON Pointers, several
    for a text that came in parts.
    """

    def read_of(self, event: int) -> int:
        """Number of the read that completed an event."""
        ends, last = self.reads.byte_end, self.events.byte_end[event] - 1
        return min(bisect_right(ends, last), len(ends) - 1)

    def arrival_us(self, event: int) -> int | None:
        """Time at which an event was complete, None if no times were recorded."""
        at_us = self.reads.at_us
        return at_us[self.read_of(event)] if at_us and self.clock is not Clock.NONE else None

    def text_start_u16(self, lane: int) -> int:
        """Start of the lane's final text: 0, or the start of the last piece in a snapshot lane."""
        if self.lanes[lane].mode is LaneMode.APPEND:
            return 0
        places = zip(reversed(self.pieces.lane), reversed(self.pieces.start_u16), strict=True)
        return next((start for each, start in places if each == lane), 0)

    def last_words(self, choices: Iterable[int]) -> dict[int, int]:
        """Event of the last piece of each of these choices; choices without any piece are
        left out.
        """
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
"""Pieces of each snapshot lane, by lane number. Other lanes need none: slices of their text are
their pieces.
"""


class TapeBuilder:
    """Collects the columns of a tape while events come in."""

    def __init__(self) -> None:
        self.byte_start: list[int] = []
        self.byte_end: list[int] = []
        self.kind: list[EventKind] = []
        self.lanes: list[Lane] = []
        self._lane_length_u16: list[int] = []
        self.mark_event: list[int] = []
        self._mark_choice: list[int | None] = []
        self._mark_lane: list[int | None] = []
        self._mark_kind: list[MarkKind] = []
        self.piece_event: list[int] = []
        self._piece_lane: list[int] = []
        self._piece_start_u16: list[int] = []
        self._piece_length_u16: list[int] = []
        self._piece_places: list[int] = []
        self.places: dict[tuple[Path, ...], int] = {}

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

    def place(self, paths: tuple[Path, ...]) -> int:
        """Number of a place in an event's JSON, given once to each."""
        return self.places.setdefault(paths, len(self.places))

    def piece(self, event: int, lane: int, text: str, place: int) -> None:
        length = len(text) if text.isascii() else length_u16(text)
        start = self._lane_length_u16[lane]
        self._lane_length_u16[lane] = start + length
        self.piece_event.append(event)
        self._piece_lane.append(lane)
        self._piece_start_u16.append(start)
        self._piece_length_u16.append(length)
        self._piece_places.append(place)

    def mark(self, event: int, choice: int | None, lane: int | None, kind: MarkKind) -> None:
        """Add a mark. With ``lane`` None it goes to the first lane of the choice, which may open
        later.
        """
        self.mark_event.append(event)
        self._mark_choice.append(choice)
        self._mark_lane.append(lane)
        self._mark_kind.append(kind)

    def tape(self, clock: Clock, at_us: list[int], byte_end: list[int]) -> Tape:
        return Tape(
            clock=clock,
            reads=ReadColumns(at_us=at_us if clock is not Clock.NONE else [], byte_end=byte_end),
            events=EventColumns(list(self.byte_start), list(self.byte_end), list(self.kind)),
            lanes=list(self.lanes),
            marks=MarkColumns(list(self.mark_event), self._drawn_on(), list(self._mark_kind)),
            pieces=PieceColumns(
                list(self.piece_event),
                list(self._piece_lane),
                list(self._piece_start_u16),
                list(self._piece_length_u16),
                list(self._piece_places),
            ),
            places=[tuple(map(pointer_to, paths)) for paths in self.places],
        )

    def _drawn_on(self) -> list[int | None]:
        first: dict[int | None, int] = {}
        for number, lane in enumerate(self.lanes):
            first.setdefault(lane.choice, number)
        marks = zip(self._mark_lane, self._mark_choice, strict=True)
        return [first.get(choice) if lane is None else lane for lane, choice in marks]


def length_u16(text: str) -> int:
    """Length in UTF-16 units; a lone surrogate counts one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
