"""Maps characters to events, and events to reads and times, using only the tape."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspector.core.tape import LaneKind, Tape


@dataclass(frozen=True)
class ArrivalSpan:
    """First and last event of a text, and when they arrived."""

    pieces: int
    first_event: int
    last_event: int
    start_us: int | None
    end_us: int | None


@dataclass(frozen=True)
class Provenance:
    """Lookups over one tape."""

    tape: Tape

    @cached_property
    def lane_pieces(self) -> list[list[int]]:
        """Indexes into the piece columns, per lane in order."""
        lanes: list[list[int]] = [[] for _ in self.tape.lanes]
        for position, lane in enumerate(self.tape.pieces.lane):
            lanes[lane].append(position)
        return lanes

    def read_of(self, event: int) -> int:
        """Index of the read that completed an event."""
        return self.tape.read_of(event)

    def at_us(self, event: int) -> int | None:
        """Microseconds when an event was complete; None if times were not recorded."""
        return self.tape.arrival_us(event)

    def event_at(self, byte: int) -> int | None:
        """Event that contains a byte of the body."""
        position = bisect_right(self.tape.events.byte_start, byte) - 1
        if position < 0 or byte >= self.tape.events.byte_end[position]:
            return None
        return position

    def lanes(self, choice: int, *kinds: LaneKind) -> Iterator[int]:
        for position, lane in enumerate(self.tape.lanes):
            if lane.choice == choice and (not kinds or lane.kind in kinds):
                yield position

    def tool_call_lane(self, choice: int, position: int) -> int | None:
        for lane in self.lanes(choice, LaneKind.TOOL_CALL):
            if self.tape.lanes[lane].tool_call == position:
                return lane
        return None

    def span(self, *lanes: int) -> ArrivalSpan | None:
        """Events that carried the text of these lanes; None if none did."""
        events = self.tape.pieces.event
        given = [events[piece] for lane in lanes for piece in self.lane_pieces[lane]]
        if not given:
            return None
        first, last = min(given), max(given)
        return ArrivalSpan(len(given), first, last, self.at_us(first), self.at_us(last))

    def event_of_character(self, lane: int, offset_u16: int) -> int | None:
        """Event that carried the character at a UTF-16 offset."""
        pieces, starts = self.lane_pieces[lane], self.tape.pieces.start_u16
        position = bisect_right(pieces, offset_u16, key=lambda piece: starts[piece]) - 1
        return self.tape.pieces.event[pieces[position]] if position >= 0 else None

    def ended_us(self, choice: int) -> int | None:
        """Time of the last event that concerned a choice."""
        span = self.span(*self.lanes(choice))
        events = [] if span is None else [span.last_event]
        for event, lane in zip(self.tape.marks.event, self.tape.marks.lane, strict=True):
            if lane is not None and self.tape.lanes[lane].choice == choice:
                events.append(event)
        return self.at_us(max(events)) if events else None
