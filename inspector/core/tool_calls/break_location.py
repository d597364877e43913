"""Locates the event and the bytes with the character that breaks a call's arguments, by the
provenance that traces every other character.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from inspector.core.completion import ArgumentsState, Choice, FunctionCall, ToolCall
from inspector.core.provenance import Origin, Origins
from inspector.core.tape import Lane, LaneKind, Tape, length_u16
from inspector.core.wire.event_data import ByteRange

Call = ToolCall | FunctionCall
QUOTE = b'"'


@dataclass(frozen=True, slots=True)
class _BrokenCall:
    """``piece`` of the tape holds the units from ``start_u16`` to ``end_u16``, or one of them."""

    lane: Lane
    call: Call
    piece: int
    start_u16: int
    end_u16: int


def locate_breaks(
    choices: tuple[Choice, ...], tape: Tape, body: bytes, *, streamed: bool
) -> tuple[Choice, ...]:
    """Return the choices, with ``invalid_bytes`` and, in a stream, ``invalid_event`` set on calls
    whose arguments break. A whole body has no events. Linear in the body.
    """
    if not any(_has_broken(choice) for choice in choices):
        return choices
    origins = Origins(tape, body)
    # In the order of events: each is walked once, however their calls interleave.
    broken = sorted(_broken_calls(choices, tape, origins), key=lambda each: each.piece)
    placed = {each.lane: _placed(each, origins, body, streamed=streamed) for each in broken}
    return tuple(_with_calls(choice, placed) for choice in choices)


def _broken_calls(
    choices: tuple[Choice, ...], tape: Tape, origins: Origins
) -> Iterator[_BrokenCall]:
    numbers = {lane: number for number, lane in enumerate(tape.lanes)}
    for choice in choices:
        for lane, call in _calls(choice):
            pieces = origins.pieces(numbers[lane]) if lane in numbers else []
            if pieces and _is_broken(call):
                yield _broken_call(lane, call, pieces, tape)


def _broken_call(lane: Lane, call: Call, pieces: list[int], tape: Tape) -> _BrokenCall:
    """Return where it breaks; of a text that was cut, its last character stands for that."""
    text, at = call.arguments_text, call.invalid_at or 0
    is_cut = call.arguments_state is not ArgumentsState.INVALID
    first, end = (at - 1, at) if is_cut and at else (at, at + 1)
    start_u16, end_u16 = length_u16(text[:first]), length_u16(text[:end])
    # Of a surrogate pair that came in two pieces, the end of a text is its second half.
    unit = end_u16 - 1 if is_cut else start_u16
    starts = tape.pieces.start_u16
    piece = pieces[max(bisect_right(pieces, unit, key=lambda each: starts[each]) - 1, 0)]
    return _BrokenCall(lane, call, piece, start_u16, end_u16)


def _placed(broken: _BrokenCall, origins: Origins, body: bytes, *, streamed: bool) -> Call:
    origin = origins.origin(broken.piece, broken.start_u16, broken.end_u16)
    return msgspec.structs.replace(
        broken.call,
        invalid_event=origin.event if streamed else None,
        invalid_bytes=_breaking_bytes(broken.call, origin, body),
    )


def _breaking_bytes(call: Call, origin: Origin, body: bytes) -> ByteRange | None:
    """Return the bytes of the character; of a cut text, the quote that ends it too early."""
    if not origin.byte_ranges:
        return None
    if call.arguments_state is ArgumentsState.INVALID:
        return origin.byte_ranges[0]
    end = origin.byte_ranges[-1][1]
    return (end, end + 1) if body[end : end + 1] == QUOTE else None


def _has_broken(choice: Choice) -> bool:
    legacy = choice.function_call
    return any(map(_is_broken, choice.tool_calls)) or (legacy is not None and _is_broken(legacy))


def _is_broken(call: Call) -> bool:
    return call.invalid_at is not None


def _calls(choice: Choice) -> Iterator[tuple[Lane, Call]]:
    for position, call in enumerate(choice.tool_calls):
        yield Lane(choice.index, LaneKind.TOOL_CALL, position), call
    if choice.function_call is not None:
        yield Lane(choice.index, LaneKind.FUNCTION_CALL), choice.function_call


def _with_calls(choice: Choice, placed: dict[Lane, Call]) -> Choice:
    calls = [placed.get(lane, call) for lane, call in _calls(choice)]
    return msgspec.structs.replace(
        choice,
        tool_calls=tuple(call for call in calls if isinstance(call, ToolCall)),
        function_call=next((call for call in calls if isinstance(call, FunctionCall)), None),
    )
