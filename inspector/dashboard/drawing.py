"""What the browser draws the timeline from: the tape with names, texts and moments beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from inspector.core.analysis import Analysis, Timeline
from inspector.core.completion import Choice
from inspector.core.tape import Lane, LaneKind, LaneMode, Tape
from inspector.dashboard.wire import ORDINARY_FINISHES, finish_word

MAX_TEXT = 400_000
"""Characters of text that go along to show the state at a moment; longer texts stay behind."""


@dataclass(frozen=True, slots=True)
class First:
    """One of the first-times; None where it cannot be known or never came."""

    name: str
    kind: str
    at_us: int | None


class DrawnLane(msgspec.Struct, frozen=True):
    choice: int
    kind: LaneKind
    name: str
    text: str | None
    """None where the text is not sent along; then only its length at a moment is shown."""


class DrawnFinish(msgspec.Struct, frozen=True):
    choice: int
    reason: str
    ordinary: bool


class Drawing(msgspec.Struct, frozen=True):
    tape: Tape
    lanes: list[DrawnLane]
    finishes: list[DrawnFinish]
    firsts: list[tuple[str, str, int]]
    stalls: list[tuple[int, int, int, int]]
    """Start, end, and the numbers of the reads before and after."""
    duration_us: int | None
    streamed: bool


def drawing(analysis: Analysis, tape: Tape) -> Drawing:
    return Drawing(
        tape=tape,
        lanes=[drawn_lane(analysis, lane) for lane in tape.lanes],
        finishes=[drawn_finish(choice) for choice in analysis.choices],
        firsts=[
            (first.name, first.kind, first.at_us)
            for first in firsts(analysis.timeline)
            if first.at_us is not None
        ],
        stalls=[
            (stall.start_us, stall.end_us, stall.read_before, stall.read_after)
            for stall in analysis.timeline.stalls
        ],
        duration_us=analysis.timeline.duration_us,
        streamed=analysis.streamed,
    )


def firsts(times: Timeline) -> tuple[First, ...]:
    """In the order of the wire: a byte makes an event, an event a chunk, a chunk a text."""
    return (
        First("byte", "", times.first_byte_us),
        First("event", "", times.first_event_us),
        First("chunk", "", times.first_chunk_us),
        First("reasoning", "reasoning", times.first_reasoning_us),
        First("content", "content", times.first_content_us),
        First("tool call", "tool", times.first_tool_call_us),
    )


def drawn_finish(choice: Choice) -> DrawnFinish:
    reason = finish_word(choice.finish_reason)
    ordinary = choice.finish_reason in ORDINARY_FINISHES
    return DrawnFinish(choice.index, well_formed(reason), ordinary)


def drawn_lane(analysis: Analysis, lane: Lane) -> DrawnLane:
    text = lane_text(analysis, lane) if lane.mode is LaneMode.APPEND else None
    if text is not None and len(text) > MAX_TEXT:
        text = None
    shown = None if text is None else well_formed(text)
    return DrawnLane(lane.choice, lane.kind, lane_name(analysis, lane), shown)


def well_formed(text: str) -> str:
    """Half a surrogate pair cannot be sent as JSON; its replacement has the same length."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def choice_of(analysis: Analysis, index: int) -> Choice | None:
    return next((choice for choice in analysis.choices if choice.index == index), None)


def lane_name(analysis: Analysis, lane: Lane) -> str:
    """The kind of text, or the name of the call that it is for."""
    call = call_of(analysis, lane)
    name = getattr(call, "name", None)
    return well_formed(name) if isinstance(name, str) and name else lane.kind.replace("-", " ")


def call_of(analysis: Analysis, lane: Lane) -> Any:
    choice = choice_of(analysis, lane.choice)
    if choice is None:
        return None
    if lane.kind is LaneKind.FUNCTION_CALL:
        return choice.function_call
    position = lane.tool_call
    if lane.kind is not LaneKind.TOOL_CALL or position is None:
        return None
    return choice.tool_calls[position] if position < len(choice.tool_calls) else None


def lane_text(analysis: Analysis, lane: Lane) -> str | None:
    if lane.kind in (LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL):
        return getattr(call_of(analysis, lane), "arguments_text", None)
    text = getattr(choice_of(analysis, lane.choice), lane.kind, None)
    return text if isinstance(text, str) else None
