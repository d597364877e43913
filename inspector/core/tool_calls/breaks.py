"""Which event, and which of its bytes, brought the character that breaks a call's arguments."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from inspector.core.completion import ArgumentsState, Choice, FunctionCall, ToolCall
from inspector.core.tape import Lane, LaneKind, Tape, length_u16
from inspector.core.tool_calls.literals import Literals

Call = ToolCall | FunctionCall


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of one lane in the order in which they came."""

    event: list[int] = field(default_factory=list)
    start_u16: list[int] = field(default_factory=list)


def placed_in_stream(choices: tuple[Choice, ...], tape: Tape, body: bytes) -> tuple[Choice, ...]:
    """The same choices, each broken call with the event that broke it. Linear in the stream."""
    lanes = {lane for choice in choices for lane, call in _calls(choice) if _is_broken(call)}
    if not lanes:
        return choices
    places = _StreamPlaces(tape, lanes, body)
    return tuple(_replaced(choice, places.place) for choice in choices)


def placed_in_document(choices: tuple[Choice, ...], body: bytes) -> tuple[Choice, ...]:
    """The same of a whole body, which has no events."""
    if not any(_is_broken(call) for choice in choices for _, call in _calls(choice)):
        return choices
    literals = Literals(body, 0)

    def place(lane: Lane, call: Call) -> Call:
        if call.arguments_state is not ArgumentsState.INVALID or call.invalid_at is None:
            return call
        found = literals.bytes_of(call.arguments_text, call.invalid_at)
        return msgspec.structs.replace(call, invalid_bytes=found)

    return tuple(_replaced(choice, place) for choice in choices)


class _StreamPlaces:
    """Looks up what broke a call; every event is searched once."""

    def __init__(self, tape: Tape, lanes: set[Lane], body: bytes) -> None:
        self._events = tape.events
        self._pieces = _pieces(tape, lanes)
        self._body = body
        self._literals: dict[int, Literals] = {}

    def place(self, lane: Lane, call: Call) -> Call:
        pieces = self._pieces.get(lane)
        if pieces is None or not _is_broken(call):
            return call
        before_u16 = length_u16(call.arguments_text[: call.invalid_at])
        at = bisect_right(pieces.start_u16, before_u16) - 1
        if at < 0:
            return call
        event, found = pieces.event[at], None
        if call.arguments_state is ArgumentsState.INVALID:
            start, *end = pieces.start_u16[at : at + 2]
            piece = _slice_u16(call.arguments_text, start, *end)
            character = len(_slice_u16(call.arguments_text, start, before_u16))
            found = self._literals_of(event).bytes_of(piece, character)
        return msgspec.structs.replace(call, invalid_event=event, invalid_bytes=found)

    def _literals_of(self, event: int) -> Literals:
        if event not in self._literals:
            start, end = self._events.byte_start[event], self._events.byte_end[event]
            self._literals[event] = Literals(self._body[start:end], start)
        return self._literals[event]


def _is_broken(call: Call) -> bool:
    return call.invalid_at is not None


def _slice_u16(text: str, start: int, end: int | None = None) -> str:
    """Part of a text by places in UTF-16 units, half of a surrogate pair at its ends included."""
    units = text.encode("utf-16-le", "surrogatepass")
    part = units[2 * start : None if end is None else 2 * end]
    return part.decode("utf-16-le", "surrogatepass")


def _calls(choice: Choice) -> Iterator[tuple[Lane, Call]]:
    for position, call in enumerate(choice.tool_calls):
        yield Lane(choice.index, LaneKind.TOOL_CALL, position), call
    if choice.function_call is not None:
        yield Lane(choice.index, LaneKind.FUNCTION_CALL), choice.function_call


def _pieces(tape: Tape, lanes: set[Lane]) -> Mapping[Lane, _Pieces]:
    by_lane = {lane: _Pieces() for lane in lanes}
    wanted = [by_lane.get(lane) for lane in tape.lanes]
    columns = tape.pieces
    for event, lane, start in zip(columns.event, columns.lane, columns.start_u16, strict=True):
        pieces = wanted[lane]
        if pieces is not None:
            pieces.event.append(event)
            pieces.start_u16.append(start)
    return by_lane


def _replaced(choice: Choice, place: Callable[[Lane, Call], Call]) -> Choice:
    placed = [place(lane, call) for lane, call in _calls(choice)]
    return msgspec.structs.replace(
        choice,
        tool_calls=tuple(call for call in placed if isinstance(call, ToolCall)),
        function_call=next((call for call in placed if isinstance(call, FunctionCall)), None),
    )
