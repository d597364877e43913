"""Follows every piece of every lane and its characters to their bytes, and reads those back."""

import json
from collections.abc import Iterator

from inspector.core.analysis import Analysis
from inspector.core.fold.growing_text import join_pieces
from inspector.core.provenance import Origin, Origins
from inspector.core.reading import read
from inspector.core.tape import Lane, LaneKind, LaneMode, Tape, length_u16
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange

MOST_CHARACTERS = 300
"""Characters followed of one piece, evenly spread over a longer one: each is found from its start."""


class Traced:
    """Text of one exchange, with the way back; ``characters`` counts those that were followed."""

    def __init__(self, exchange: Exchange) -> None:
        reading = read(exchange)
        self.analysis: Analysis = reading.analysis()
        self.tape: Tape = reading.tape()
        self.body = decompressed(exchange).body
        self.origins = Origins(self.tape, self.body)
        self.characters = 0

    def faults(self) -> Iterator[str]:
        """Yield whatever is not as it should be, lane by lane; nothing where the promise holds."""
        for lane in range(len(self.tape.lanes)):
            yield from (f"lane {lane}: {fault}" for fault in self._faults_of(lane))

    def _events_with_derived_text(self, lane: int) -> set[int]:
        """Events that gave a lane what stands nowhere in them, such as the braces around arguments
        that came as values with paths.
        """
        columns = self.tape.pieces
        rows = zip(columns.event, columns.lane, columns.places, strict=True)
        return {
            event for event, each, place in rows if each == lane and not self.tape.places[place]
        }

    def _faults_of(self, lane: int) -> Iterator[str]:
        length = self.origins.length_u16(lane)
        pieces = list(self.origins.of(lane, 0, length))
        told = [self.said_by(origin) for origin in pieces]
        derived = self._events_with_derived_text(lane)
        lost = [each for each in pieces if not each.byte_ranges and each.event not in derived]
        if lost:
            yield f"{len(lost)} of {len(pieces)} pieces have no bytes, event {lost[0].event} first"
            return
        is_append = self.tape.lanes[lane].mode is LaneMode.APPEND
        said, due = (
            join_pieces(told if is_append else told[-1:]),
            text_of(self.analysis, lane, self.tape.lanes[lane]),
        )
        if due is not None and not derived and said != due:
            yield f"its bytes say {said[:60]!r}, not {due[:60]!r}"
        for origin, text in zip(pieces, told, strict=True):
            yield from self._unlike_characters(lane, origin, text)

    def _unlike_characters(self, lane: int, piece: Origin, text: str) -> Iterator[str]:
        step = -(-len(text) // MOST_CHARACTERS)
        at = piece.start_u16
        for number, character in enumerate(text):
            start, at = at, at + length_u16(character)
            if number % step:
                continue
            (origin,) = self.origins.of(lane, start, at)
            self.characters += 1
            if self.said_by(origin) != character:
                yield f"character {start} is {character!r}, its bytes say {self.said_by(origin)!r}"
                return

    def said_by(self, origin: Origin) -> str:
        spelt = b"".join(self.body[start:end] for start, end in origin.byte_ranges)
        return decoded(spelt, origin.end_u16 - origin.start_u16)


def decoded(spelt: bytes, length: int) -> str:
    """The content of a JSON string; or, where that has another length, a value as it is spelt."""
    try:
        text = str(json.loads(b'"%s"' % spelt, strict=False))
    except ValueError:
        try:
            text = str(json.loads('"' + spelt.decode(errors="replace") + '"', strict=False))
        except ValueError:
            text = spelt.decode(errors="replace")
    return text if length_u16(text) == length else spelt.decode(errors="replace")


def text_of(analysis: Analysis, number: int, lane: Lane) -> str | None:
    """What reading says of a lane; None where its dialect is not read."""
    blocks = [block for one in analysis.choices for block in one.blocks if block.lane == number]
    if len(blocks) == 1 and isinstance(blocks[0].text, str):
        return blocks[0].text
    choice = next((each for each in analysis.choices if each.index == lane.choice), None)
    if choice is None:
        return None
    if lane.kind is LaneKind.FUNCTION_CALL:
        return choice.function_call.arguments_text if choice.function_call else None
    if lane.kind is LaneKind.TOOL_CALL:
        return choice.tool_calls[lane.tool_call or 0].arguments_text
    text = getattr(choice, lane.kind)
    return text if isinstance(text, str) else None
