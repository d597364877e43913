"""JSON for the timeline script: the tape with names, texts and times."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from inspector.core.analysis import Analysis, Timeline
from inspector.core.completion import Choice
from inspector.core.tape import Lane, LaneKind, LaneMode, Snapshots, Tape, length_u16
from inspector.formatting.lanes import call_of, lane_name, well_formed
from inspector.formatting.wire_values import ORDINARY_FINISHES, finish_word

MAX_TEXT = 400_000
"""Characters of a lane's text sent along for replay; a longer one is fetched on demand."""
MAX_TEXTS = 2_000_000
"""The same over all lanes; later lanes are left out."""

Address = Callable[[Lane], str | None]
"""Returns the URL of a lane's full text, or None."""


@dataclass(frozen=True, slots=True)
class FirstTime:
    """One of the first-times; None if unknown or if there was no such event."""

    name: str
    kind: str
    at_us: int | None


class TimelineLane(msgspec.Struct, frozen=True):
    choice: int
    kind: LaneKind
    name: str
    text: str | None
    """None if the text is not sent along; replay then shows only its length."""
    snapshots: list[tuple[int, str]] | None = None
    """For a snapshot lane, instead of the text: per piece, the UTF-16 length of the prefix shared
    with the previous piece, and the rest.
    """
    href: str | None = None
    """URL of a text that is not sent along."""


class TimelineFinish(msgspec.Struct, frozen=True):
    choice: int
    reason: str
    ordinary: bool


class TimelineData(msgspec.Struct, frozen=True):
    tape: Tape
    lanes: list[TimelineLane]
    finishes: list[TimelineFinish]
    firsts: list[tuple[str, str, int]]
    stalls: list[tuple[int, int, int, int]]
    """Start and end in microseconds, and the reads before and after."""
    duration_us: int | None
    streamed: bool


def no_address(_: Lane) -> None:
    """``Address`` of a response that is not stored."""


def build_timeline_data(
    analysis: Analysis,
    tape: Tape,
    snapshots: Snapshots | None = None,
    address: Address = no_address,
) -> TimelineData:
    return TimelineData(
        tape=tape,
        lanes=list(timeline_lanes(analysis, tape, snapshots or {}, address)),
        finishes=[timeline_finish(choice) for choice in analysis.choices],
        firsts=[
            (first.name, first.kind, first.at_us)
            for first in first_times(analysis.timeline)
            if first.at_us is not None
        ],
        stalls=[
            (stall.start_us, stall.end_us, stall.read_before, stall.read_after)
            for stall in analysis.timeline.stalls
        ],
        duration_us=analysis.timeline.duration_us,
        streamed=analysis.streamed,
    )


def first_times(times: Timeline) -> tuple[FirstTime, ...]:
    """First-times in causal order: byte, event, chunk, then texts."""
    return (
        FirstTime("byte", "", times.first_byte_us),
        FirstTime("event", "", times.first_event_us),
        FirstTime("chunk", "", times.first_chunk_us),
        FirstTime("reasoning", "reasoning", times.first_reasoning_us),
        FirstTime("content", "content", times.first_content_us),
        FirstTime("tool call", "tool", times.first_tool_call_us),
    )


def timeline_finish(choice: Choice) -> TimelineFinish:
    reason = finish_word(choice.finish_reason)
    ordinary = choice.finish_reason in ORDINARY_FINISHES
    return TimelineFinish(choice.index, well_formed(reason), ordinary)


def timeline_lanes(
    analysis: Analysis, tape: Tape, snapshots: Snapshots, address: Address
) -> Iterator[TimelineLane]:
    room = MAX_TEXTS
    for number, lane in enumerate(tape.lanes):
        found = timeline_lane(analysis, lane, snapshots.get(number, ()), min(room, MAX_TEXT))
        room -= len(found.text or "") + sum(len(rest) for _, rest in found.snapshots or ())
        is_behind = found.text is None and lane.mode is LaneMode.APPEND
        href = address(lane) if is_behind else None
        yield msgspec.structs.replace(found, href=href) if href else found


def timeline_lane(
    analysis: Analysis, lane: Lane, snapshots: Sequence[str], max_text: int
) -> TimelineLane:
    name = lane_name(analysis, lane)
    if lane.mode is LaneMode.SNAPSHOT:
        pieces = snapshot_deltas(snapshots)
        fits = bool(pieces) and sum(len(rest) for _, rest in pieces) <= max_text
        return TimelineLane(lane.choice, lane.kind, name, None, pieces if fits else None)
    text = lane_text(analysis, lane)
    fits = text is not None and len(text) <= max_text
    return TimelineLane(lane.choice, lane.kind, name, well_formed(text or "") if fits else None)


def snapshot_deltas(snapshots: Sequence[str]) -> list[tuple[int, str]]:
    """Encodes each snapshot as the length of the prefix shared with the previous one, and
    the rest.
    """
    found, before = [], ""
    for snapshot in map(well_formed, snapshots):
        shared = common_prefix_length(before, snapshot)
        found.append((length_u16(snapshot[:shared]), snapshot[shared:]))
        before = snapshot
    return found


def common_prefix_length(one: str, other: str) -> int:
    """Number of leading characters two texts share."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if other.startswith(one[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return low


def lane_text(analysis: Analysis, lane: Lane) -> str | None:
    if lane.kind in (LaneKind.TOOL_CALL, LaneKind.FUNCTION_CALL):
        return getattr(call_of(analysis, lane), "arguments_text", None)
    text = getattr(analysis.choice(lane.choice), lane.kind, None)
    return text if isinstance(text, str) else None
