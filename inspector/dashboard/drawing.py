"""What the browser draws the timeline from: the tape with names, texts and moments beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from inspector.core.analysis import Analysis, Timeline
from inspector.core.completion import Choice
from inspector.core.tape import Lane, LaneKind, LaneMode, Snapshots, Tape, length_u16
from inspector.dashboard.wire import ORDINARY_FINISHES, finish_word

MAX_TEXT = 400_000
"""Characters of a lane that go along to show the state at a moment; a longer one is fetched when
somebody wants to see it."""
MAX_TEXTS = 2_000_000
"""Of all lanes together; those that come after stay behind."""

Address = Callable[[Lane], str | None]
"""Where the text of a lane is found in full, None where nowhere."""


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
    snapshots: list[tuple[int, str]] | None = None
    """Of a snapshot lane, in place of the text: how many UTF-16 units each piece has in common with
    the one before, and the rest of it."""
    href: str | None = None
    """Where a text that is not sent along is found."""


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


def nowhere(_: Lane) -> None:
    """Of a response that is not stored."""


def drawing(
    analysis: Analysis, tape: Tape, snapshots: Snapshots | None = None, address: Address = nowhere
) -> Drawing:
    return Drawing(
        tape=tape,
        lanes=list(drawn_lanes(analysis, tape, snapshots or {}, address)),
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


def drawn_lanes(
    analysis: Analysis, tape: Tape, snapshots: Snapshots, address: Address
) -> Iterator[DrawnLane]:
    room = MAX_TEXTS
    for number, lane in enumerate(tape.lanes):
        drawn = drawn_lane(analysis, lane, snapshots.get(number, ()), min(room, MAX_TEXT))
        room -= len(drawn.text or "") + sum(len(rest) for _, rest in drawn.snapshots or ())
        is_behind = drawn.text is None and lane.mode is LaneMode.APPEND
        href = address(lane) if is_behind else None
        yield msgspec.structs.replace(drawn, href=href) if href else drawn


def drawn_lane(
    analysis: Analysis, lane: Lane, snapshots: Sequence[str], max_text: int
) -> DrawnLane:
    name = lane_name(analysis, lane)
    if lane.mode is LaneMode.SNAPSHOT:
        pieces = differences(snapshots)
        fits = bool(pieces) and sum(len(rest) for _, rest in pieces) <= max_text
        return DrawnLane(lane.choice, lane.kind, name, None, pieces if fits else None)
    text = lane_text(analysis, lane)
    fits = text is not None and len(text) <= max_text
    return DrawnLane(lane.choice, lane.kind, name, well_formed(text or "") if fits else None)


def differences(snapshots: Sequence[str]) -> list[tuple[int, str]]:
    """Each by what it has in common with the one before, and the rest."""
    found, before = [], ""
    for snapshot in map(well_formed, snapshots):
        kept = common(before, snapshot)
        found.append((length_u16(snapshot[:kept]), snapshot[kept:]))
        before = snapshot
    return found


def common(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def well_formed(text: str) -> str:
    """Half a surrogate pair cannot be sent as JSON; its replacement has the same length."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def lane_name(analysis: Analysis, lane: Lane) -> str:
    """The kind of text, or the name of the call that it is for."""
    call = call_of(analysis, lane)
    name = getattr(call, "name", None)
    return well_formed(name) if isinstance(name, str) and name else lane.kind.replace("-", " ")


def call_of(analysis: Analysis, lane: Lane) -> Any:
    choice = analysis.choice(lane.choice)
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
    text = getattr(analysis.choice(lane.choice), lane.kind, None)
    return text if isinstance(text, str) else None
