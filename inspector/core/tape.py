"""The tape: columns that the timeline, provenance, scrubber, replay and growing page are made from.

All look-ups need only the tape: from character to event by bisection in a lane's pieces, from event
to characters the other way; the state at a moment is a prefix of each lane (in a snapshot lane, its
last piece).
"""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import accumulate

import msgspec

from inspector.core.json.pointer import pointer_to
from inspector.core.wire.exchange import Clock
from inspector.core.wire.sse import StreamItem

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
    HOSTED = "hosted"
    """Input that the provider is to run: code, a query, arguments."""


TEXT_LANES = frozenset(set(LaneKind) - {LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL})
"""The lanes of texts. Arguments are what their pieces join to: agents get that."""


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
    """A row per network read; ``at_us`` is empty without times, ``byte_end`` exclusive."""

    at_us: list[int]
    byte_end: list[int]


class EventColumns(msgspec.Struct, frozen=True):
    """A row per event; ``byte_end`` is exclusive, behind the byte that completed the event."""

    byte_start: list[int]
    byte_end: list[int]
    kind: list[EventKind]


class MarkColumns(msgspec.Struct, frozen=True):
    """A row per mark; ``lane`` is null if it belongs to none (usage, a choice without text)."""

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
    """JSON Pointers of pieces in their events, each combination once, several for parts."""

    def read_of(self, event: int) -> int:
        """Return the number of the read that completed an event."""
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
        """Event of the last piece of each of these choices; choices without pieces are left out."""
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
"""Pieces of each snapshot lane, by number; of other lanes they are slices of the text."""


class TapeBuilder:
    """Collects the columns of a tape while events come in."""

    def __init__(self) -> None:
        self.byte_start: list[int] = []
        self.byte_end: list[int] = []
        self.kind: list[EventKind] = []
        self.lanes: list[Lane] = []
        self.parts: list[Sequence[str]] = []
        """The pieces of each lane's text, which grow beside the tape."""
        self._first_lane: dict[int | None, int] = {}
        """The first lane of each choice."""
        self._lane_length_u16: list[int] = []
        self.mark_event: list[int] = []
        self._mark_choice: list[int | None] = []
        self._mark_lane: list[int | None] = []
        self._mark_kind: list[MarkKind] = []
        self.piece_event: list[int] = []
        self.piece_lane: list[int] = []
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

    def events(self, items: Sequence[StreamItem], kind: EventKind) -> int:
        """Append successive events and return the number of the first."""
        first = len(self.kind)
        self.byte_start += [item.byte_start for item in items]
        self.byte_end += [item.byte_end for item in items]
        self.kind += [kind] * len(items)
        return first

    def lane(self, lane: Lane, parts: Sequence[str] = ()) -> int:
        """Open a lane before its first piece; return its number. ``parts`` grow with its text."""
        self._first_lane.setdefault(lane.choice, len(self.lanes))
        self.lanes.append(lane)
        self.parts.append(parts)
        self._lane_length_u16.append(0)
        return len(self.lanes) - 1

    def place(self, paths: tuple[Path, ...]) -> int:
        """Return the number of a place in an event's JSON, given once to each."""
        return self.places.setdefault(paths, len(self.places))

    def stand_at(self, places: Mapping[Path, Path]) -> None:
        """Names the places of pieces that were read from elsewhere in the body."""
        found = (tuple(places.get(path, path) for path in paths) for paths in self.places)
        self.places = {paths: number for number, paths in enumerate(found)}

    def piece(self, event: int, lane: int, text: str, place: int) -> None:
        length = len(text) if text.isascii() else length_u16(text)
        start = self._lane_length_u16[lane]
        self._lane_length_u16[lane] = start + length
        self.piece_event.append(event)
        self.piece_lane.append(lane)
        self._piece_start_u16.append(start)
        self._piece_length_u16.append(length)
        self._piece_places.append(place)

    def pieces(self, events: list[int], lane: int, texts: list[str], place: int) -> None:
        """Add a piece of each of these events to one lane."""
        lengths = [len(text) if text.isascii() else length_u16(text) for text in texts]
        starts = list(accumulate(lengths, initial=self._lane_length_u16[lane]))
        self._lane_length_u16[lane] = starts.pop()
        self.piece_event += events
        self.piece_lane += [lane] * len(events)
        self._piece_start_u16 += starts
        self._piece_length_u16 += lengths
        self._piece_places += [place] * len(events)

    def mark(self, event: int, choice: int | None, lane: int | None, kind: MarkKind) -> None:
        """Add a mark; without ``lane`` to the first lane of the choice, which may open later."""
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
            marks=MarkColumns(
                list(self.mark_event),
                list(map(self._drawn_on, range(len(self.mark_event)))),
                list(self._mark_kind),
            ),
            pieces=PieceColumns(
                list(self.piece_event),
                list(self.piece_lane),
                list(self._piece_start_u16),
                list(self._piece_length_u16),
                list(self._piece_places),
            ),
            places=[tuple(map(pointer_to, paths)) for paths in self.places],
        )

    def _drawn_on(self, mark: int) -> int | None:
        lane = self._mark_lane[mark]
        return self._first_lane.get(self._mark_choice[mark]) if lane is None else lane


def length_u16(text: str) -> int:
    """Length in UTF-16 units; a lone surrogate counts one."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
