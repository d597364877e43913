"""Finds where the characters of a lane came from: event, read, time, and the bytes that spell them.

The tape tells which event gave a lane its characters. For the bytes, the event's JSON text is
walked again in the order of the fold (``fold/text_spans``). If its texts differ from the pieces on
the tape, no bytes are given.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from functools import cached_property

import msgspec

from inspector.core.fold.text_spans import TextSpan, text_spans_in
from inspector.core.tape import LaneKind, Tape
from inspector.core.wire.event_data import ByteRange, EventData, data_candidates
from inspector.core.wire.framing import BOM, JSON_WHITESPACE


class Origin(msgspec.Struct, frozen=True):
    """Characters that one event gave to a lane, in UTF-16 units of the lane.

    ``byte_ranges`` are places in the body: several if the event's data spans lines or the text came
    in parts, none if the bytes are not certain.
    """

    event: int
    read: int
    at_us: int | None
    start_u16: int
    end_u16: int
    byte_ranges: tuple[ByteRange, ...] = ()


class Origins:
    """Looks up the origin of characters. ``body`` is the decompressed body that the tape was made
    from.
    """

    def __init__(self, tape: Tape, body: bytes) -> None:
        self._tape = tape
        self._body = body
        self._reasoning_name: dict[int, str | None] = {}
        self._spelt: tuple[int, dict[int, tuple[EventData, TextSpan]]] = (-1, {})
        """Texts of the event that was looked up last, by piece."""
        self._is_whole = _is_whole(tape, body)

    def length_u16(self, lane: int) -> int:
        pieces = self.pieces(lane)
        return self._end_u16(pieces[-1]) if pieces else 0

    def pieces(self, lane: int) -> list[int]:
        """Positions of the lane's pieces in the piece columns, in order of arrival."""
        return self._pieces_by_lane[lane]

    @cached_property
    def _pieces_by_lane(self) -> list[list[int]]:
        # All at once: an answer may have ten thousand lanes that somebody asks for one by one.
        found: list[list[int]] = [[] for _ in self._tape.lanes]
        for at, lane in enumerate(self._tape.pieces.lane):
            found[lane].append(at)
        return found

    def pieces_within(self, lane: int, start_u16: int, end_u16: int) -> list[int]:
        """Positions of the pieces that hold one of these characters."""
        pieces, starts = self.pieces(lane), self._tape.pieces.start_u16
        first = bisect_right(pieces, start_u16, key=self._end_u16)
        last = bisect_left(pieces, end_u16, key=lambda piece: starts[piece])
        return pieces[first:last] if start_u16 < end_u16 else []

    def of(self, lane: int, start_u16: int, end_u16: int) -> Iterator[Origin]:
        """Yield the origins event by event. The bytes of each are looked up when it is
        asked for.
        """
        for piece in self.pieces_within(lane, start_u16, end_u16):
            yield self.origin(piece, start_u16, end_u16)

    def origin(self, piece: int, start_u16: int, end_u16: int) -> Origin:
        """The origin of those characters of the range that one piece holds."""
        tape = self._tape
        event, first = tape.pieces.event[piece], tape.pieces.start_u16[piece]
        start, end = max(start_u16, first), min(end_u16, self._end_u16(piece))
        return Origin(
            event=event,
            read=tape.read_of(event),
            at_us=tape.arrival_us(event),
            start_u16=start,
            end_u16=end,
            byte_ranges=self._bytes_of(event, piece, start - first, end - first),
        )

    def _end_u16(self, piece: int) -> int:
        return self._tape.pieces.start_u16[piece] + self._tape.pieces.length_u16[piece]

    def _bytes_of(self, event: int, piece: int, start: int, end: int) -> tuple[ByteRange, ...]:
        """Byte ranges of some units of a piece, counted from its beginning."""
        if self._spelt[0] != event:
            self._spelt = event, self._spelt_pieces(event)
        found = self._spelt[1].get(piece)
        if found is None:
            return ()
        data, said = found
        spelt = said.bytes_of(data.text, start, end)
        return tuple(each for part in spelt for each in data.body_ranges(*part))

    def _spelt_pieces(self, event: int) -> dict[int, tuple[EventData, TextSpan]]:
        """Texts of an event by piece; empty if they are not those on the tape."""
        pieces = self._tape.pieces
        places = range(bisect_left(pieces.event, event), bisect_right(pieces.event, event))
        for data in self._data_of(event):
            drawn = [said for said in self._said_in(data) if self._is_drawn(said)]
            if len(drawn) == len(places) and all(map(self._fits, places, drawn)):
                return {at: (data, said) for at, said in zip(places, drawn, strict=True)}
        return {}

    def _fits(self, piece: int, said: TextSpan) -> bool:
        lane = self._tape.lanes[self._tape.pieces.lane[piece]]
        same_length = self._tape.pieces.length_u16[piece] == said.length_u16
        return same_length and lane.kind is said.kind

    def _is_drawn(self, said: TextSpan) -> bool:
        """False for reasoning that repeats, under a second name, what is on the tape already."""
        if said.kind is not LaneKind.REASONING:
            return True
        if said.choice not in self._reasoning_name:
            self._reasoning_name[said.choice] = self._first_reasoning(said.choice)
        return said.name == self._reasoning_name[said.choice]

    def _first_reasoning(self, choice: int) -> str | None:
        for lane, each in enumerate(self._tape.lanes):
            if each.kind is LaneKind.REASONING and each.choice == choice:
                event = self._tape.pieces.event[self.pieces(lane)[0]]
                found = (s for data in self._data_of(event) for s in self._said_in(data))
                own = (s.name for s in found if s.kind is each.kind and s.choice == choice)
                return next(own, None)
        return None

    def _said_in(self, data: EventData) -> Iterator[TextSpan]:
        return text_spans_in(data.text, is_whole=self._is_whole)

    def _data_of(self, event: int) -> Iterator[EventData]:
        events = self._tape.events
        return data_candidates(self._body, events.byte_start[event], events.byte_end[event])


def _is_whole(tape: Tape, body: bytes) -> bool:
    """True if the body is one object and not an event stream."""
    if len(tape.events.kind) != 1:
        return False
    start, end = tape.events.byte_start[0], tape.events.byte_end[0]
    return body[start:end].removeprefix(BOM).lstrip(JSON_WHITESPACE)[:1] == b"{"
