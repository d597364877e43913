"""Finds where the characters of a lane came from: event, read, time, and the bytes that spell them.

The tape tells which event gave a lane its characters, and at which places in the event's JSON the
grammar found them; there the bytes are looked up. If what stands there is not as long as the piece
on the tape, no bytes are given.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

import msgspec

from inspector.core.computed_once import computed_once
from inspector.core.json import strings
from inspector.core.json.spans import JsonKind, JsonSpans
from inspector.core.tape import Tape
from inspector.core.wire.event_data import ByteRange, EventData, data_candidates


class SpanPart(msgspec.Struct, frozen=True):
    """Byte range of a JSON string's content, or of another value as it is spelt."""

    start: int
    end: int
    is_escaped: bool
    length_u16: int


class SpelledText(msgspec.Struct, frozen=True):
    """One text in as many parts as it was sent in; none if it is derived."""

    places: tuple[SpanPart, ...]

    @property
    def length_u16(self) -> int:
        return sum(place.length_u16 for place in self.places)

    def bytes_of(self, text: bytes, start_u16: int, end_u16: int) -> Iterator[ByteRange]:
        """Yield the byte ranges that spell some UTF-16 units of the text."""
        for place in self.places:
            first, last = max(start_u16, 0), min(end_u16, place.length_u16)
            if first < last:
                spelt = text[place.start : place.end]
                at, to = strings.bytes_of(spelt, first, last, is_escaped=place.is_escaped)
                yield place.start + at, place.start + to
            start_u16, end_u16 = start_u16 - place.length_u16, end_u16 - place.length_u16


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
    """Looks up the origin of characters in ``body``, decompressed as the tape was made from it."""

    def __init__(self, tape: Tape, body: bytes) -> None:
        self._tape = tape
        self._body = body
        self._spelt: tuple[int, dict[int, tuple[EventData, SpelledText]]] = (-1, {})
        """Texts of the event that was looked up last, by piece."""

    def length_u16(self, lane: int) -> int:
        pieces = self.pieces(lane)
        return self._end_u16(pieces[-1]) if pieces else 0

    def pieces(self, lane: int) -> list[int]:
        """Positions of the lane's pieces in the piece columns, in order of arrival."""
        return self._pieces_by_lane[lane]

    @computed_once
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
        """Yield the origins event by event; the bytes of each are looked up when asked for."""
        for piece in self.pieces_within(lane, start_u16, end_u16):
            yield self.origin(piece, start_u16, end_u16)

    def origin(self, piece: int, start_u16: int, end_u16: int) -> Origin:
        """Return the origin of those characters of the range that one piece holds."""
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
        data, span = found
        spelt = span.bytes_of(data.text, start, end)
        return tuple(each for part in spelt for each in data.body_ranges(*part))

    def _spelt_pieces(self, event: int) -> dict[int, tuple[EventData, SpelledText]]:
        """Texts of an event by piece; empty if they are not those on the tape."""
        pieces = self._tape.pieces
        places = range(bisect_left(pieces.event, event), bisect_right(pieces.event, event))
        for data in self._data_of(event):
            spans = JsonSpans(data.text)
            found = [self._text_span(spans, piece) for piece in places]
            if all(map(self._fits, places, found)):
                return {at: (data, each) for at, each in zip(places, found, strict=True) if each}
        return {}

    def _text_span(self, spans: JsonSpans, piece: int) -> SpelledText | None:
        """Return the span of the text at the places of a piece; None if there is nothing."""
        parts = []
        for pointer in self._tape.places[self._tape.pieces.places[piece]]:
            value = spans.find(pointer)
            if value is None:
                return None
            parts.append(_span_part(spans, value.start, value.end))
        return SpelledText(tuple(parts))

    def _fits(self, piece: int, found: SpelledText | None) -> bool:
        # What was derived stands nowhere.
        if found is None or not found.places:
            return found is not None
        return self._tape.pieces.length_u16[piece] == found.length_u16

    def _data_of(self, event: int) -> Iterator[EventData]:
        events = self._tape.events
        return data_candidates(self._body, events.byte_start[event], events.byte_end[event])


def _span_part(spans: JsonSpans, start: int, end: int) -> SpanPart:
    is_text = spans.kind(start) is JsonKind.TEXT
    # Without the quotes of a string; other values are taken as spelt.
    start, end = start + is_text, end - is_text
    length = strings.encoded_length_u16(spans.text[start:end], is_escaped=is_text)
    return SpanPart(start, end, is_text, length)
