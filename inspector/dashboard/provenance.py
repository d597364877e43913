"""From characters to events and from events to reads and seconds, by the tape alone."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from inspector.core.tape import LaneKind, Tape


@dataclass(frozen=True)
class Span:
    """Which events a text came in, and when the first and the last of them arrived."""

    pieces: int
    first_event: int
    last_event: int
    start_us: int | None
    end_us: int | None


@dataclass(frozen=True)
class Provenance:
    """Lookups over one tape; event numbers count from 0 inside, from 1 on pages."""

    tape: Tape

    @cached_property
    def lane_pieces(self) -> list[list[int]]:
        """Positions in the piece columns, for each lane in order."""
        lanes: list[list[int]] = [[] for _ in self.tape.lanes]
        for position, lane in enumerate(self.tape.pieces.lane):
            lanes[lane].append(position)
        return lanes

    def read_of(self, event: int) -> int:
        """The read that completed an event."""
        return self.tape.read_of(event)

    def at_us(self, event: int) -> int | None:
        """When an event was complete; None where nobody noted the times."""
        return self.tape.arrival_us(event)

    def event_at(self, byte: int) -> int | None:
        """The event that a byte of the body belongs to."""
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

    def span(self, *lanes: int) -> Span | None:
        """Where the text of these lanes came from; None where no event gave it characters."""
        events = self.tape.pieces.event
        given = [events[piece] for lane in lanes for piece in self.lane_pieces[lane]]
        if not given:
            return None
        first, last = min(given), max(given)
        return Span(len(given), first, last, self.at_us(first), self.at_us(last))

    def event_of_character(self, lane: int, offset_u16: int) -> int | None:
        """The event that brought the character at an offset in UTF-16 units."""
        pieces, starts = self.lane_pieces[lane], self.tape.pieces.start_u16
        position = bisect_right(pieces, offset_u16, key=lambda piece: starts[piece]) - 1
        return self.tape.pieces.event[pieces[position]] if position >= 0 else None

    def ended_us(self, choice: int) -> int | None:
        """When the last event that concerned a choice arrived."""
        span = self.span(*self.lanes(choice))
        events = [] if span is None else [span.last_event]
        for event, lane in zip(self.tape.marks.event, self.tape.marks.lane, strict=True):
            if lane is not None and self.tape.lanes[lane].choice == choice:
                events.append(event)
        return self.at_us(max(events)) if events else None


def u16_length(text: str) -> int:
    """Length in UTF-16 units: what browsers select in and the tape counts in."""
    return len(text) + sum(ord(character) > 0xFFFF for character in text)
