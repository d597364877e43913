"""Finds the event and bytes that hold the character at which a call's arguments break."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from inspector.core.completion import ArgumentsState, Choice, FunctionCall, ToolCall
from inspector.core.tape import Lane, LaneKind, Tape, length_u16
from inspector.core.tool_calls.argument_literals import ArgumentLiterals

Call = ToolCall | FunctionCall


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Pieces of one lane in order of arrival."""

    event: list[int] = field(default_factory=list)
    start_u16: list[int] = field(default_factory=list)


def locate_in_stream(choices: tuple[Choice, ...], tape: Tape, body: bytes) -> tuple[Choice, ...]:
    """Return the choices with ``invalid_event`` and ``invalid_bytes`` set on calls whose arguments
    break. Takes time linear in the length of the stream.
    """
    lanes = {lane for choice in choices for lane, call in _calls(choice) if _is_broken(call)}
    if not lanes:
        return choices
    places = _StreamPlaces(tape, lanes, body)
    return tuple(_with_location(choice, places.place) for choice in choices)


def locate_in_document(choices: tuple[Choice, ...], body: bytes) -> tuple[Choice, ...]:
    """Return the choices, with ``invalid_bytes`` set on invalid calls. A whole body has no
    events.
    """
    if not any(_is_broken(call) for choice in choices for _, call in _calls(choice)):
        return choices
    literals = ArgumentLiterals(body, 0)

    def place(lane: Lane, call: Call) -> Call:
        if call.arguments_state is not ArgumentsState.INVALID or call.invalid_at is None:
            return call
        found = literals.bytes_of(call.arguments_text, call.invalid_at)
        return msgspec.structs.replace(call, invalid_bytes=found)

    return tuple(_with_location(choice, place) for choice in choices)


class _StreamPlaces:
    """Locates breaking characters. Each event is searched once."""

    def __init__(self, tape: Tape, lanes: set[Lane], body: bytes) -> None:
        self._events = tape.events
        self._pieces = _pieces(tape, lanes)
        self._body = body
        self._literals: dict[int, ArgumentLiterals] = {}

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

    def _literals_of(self, event: int) -> ArgumentLiterals:
        if event not in self._literals:
            start, end = self._events.byte_start[event], self._events.byte_end[event]
            self._literals[event] = ArgumentLiterals(self._body[start:end], start)
        return self._literals[event]


def _is_broken(call: Call) -> bool:
    return call.invalid_at is not None


def _slice_u16(text: str, start: int, end: int | None = None) -> str:
    """Slice a text by UTF-16 units; the slice may begin or end with half of a surrogate pair."""
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


def _with_location(choice: Choice, place: Callable[[Lane, Call], Call]) -> Choice:
    placed = [place(lane, call) for lane, call in _calls(choice)]
    return msgspec.structs.replace(
        choice,
        tool_calls=tuple(call for call in placed if isinstance(call, ToolCall)),
        function_call=next((call for call in placed if isinstance(call, FunctionCall)), None),
    )
