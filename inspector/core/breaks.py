"""Which event brought the character from which on a call's arguments cannot be JSON."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from inspector.core.completion import Choice, FunctionCall, ToolCall
from inspector.core.tape import Lane, LaneKind, Tape, length_u16


@dataclass(frozen=True, slots=True)
class _Pieces:
    """The pieces of one lane in the order in which they came."""

    event: list[int] = field(default_factory=list)
    start_u16: list[int] = field(default_factory=list)

    def event_of(self, call: ToolCall | FunctionCall) -> int | None:
        before = call.arguments_text[: call.invalid_at]
        position = bisect_right(self.start_u16, length_u16(before)) - 1
        return self.event[position] if position >= 0 else None


def placed(choices: tuple[Choice, ...], tape: Tape) -> tuple[Choice, ...]:
    """The same choices, each broken call with the event that broke it. Linear in the tape."""
    lanes = {
        lane for choice in choices for lane, call in _calls(choice) if call.invalid_at is not None
    }
    if not lanes:
        return choices
    pieces = _pieces(tape, lanes)
    return tuple(_with_events(choice, pieces) for choice in choices)


def _calls(choice: Choice) -> Iterator[tuple[Lane, ToolCall | FunctionCall]]:
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


def _with_events(choice: Choice, pieces: Mapping[Lane, _Pieces]) -> Choice:
    placed = [
        msgspec.structs.replace(call, invalid_event=pieces[lane].event_of(call))
        if lane in pieces
        else call
        for lane, call in _calls(choice)
    ]
    tool_calls = tuple(call for call in placed if isinstance(call, ToolCall))
    legacy = next((call for call in placed if isinstance(call, FunctionCall)), None)
    return msgspec.structs.replace(choice, tool_calls=tool_calls, function_call=legacy)
