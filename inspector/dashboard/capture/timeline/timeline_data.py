"""JSON for the timeline script: the tape with names, texts and times."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import msgspec

from inspector.core.analysis import Analysis, Timeline
from inspector.core.completion import Choice
from inspector.core.fold.lane_texts import snapshot_deltas
from inspector.core.tape import Lane, LaneKind, LaneMode, Snapshots, Tape
from inspector.formatting.finish_names import finish_name
from inspector.formatting.lanes import LaneTexts, well_formed
from inspector.formatting.wire_values import finish_word, is_ordinary_finish

MAX_TEXT = 400_000
"""Characters of a lane's text sent along for replay; a longer one is fetched on demand."""
MAX_TEXTS = 2_000_000
"""The same over all lanes; later lanes are left out."""

Address = Callable[[int, Lane], str | None]
"""Returns the URL of a lane's full text, or None; takes the lane with its number."""


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


def no_address(_: int, __: Lane) -> None:
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
        finishes=[timeline_finish(choice, analysis.dialect) for choice in analysis.choices],
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


def timeline_finish(choice: Choice, dialect: str | None) -> TimelineFinish:
    reason = finish_name(dialect, choice.finish_reason)
    ordinary = is_ordinary_finish(reason)
    return TimelineFinish(choice.index, well_formed(finish_word(reason)), ordinary)


def timeline_lanes(
    analysis: Analysis, tape: Tape, snapshots: Snapshots, address: Address
) -> Iterator[TimelineLane]:
    room, texts = MAX_TEXTS, LaneTexts(analysis)
    for number, lane in enumerate(tape.lanes):
        sent_again = snapshots.get(number, ())
        found = timeline_lane(texts, number, lane, sent_again, min(room, MAX_TEXT))
        room -= len(found.text or "") + sum(len(rest) for _, rest in found.snapshots or ())
        is_behind = found.text is None and lane.mode is LaneMode.APPEND
        href = address(number, lane) if is_behind else None
        yield msgspec.structs.replace(found, href=href) if href else found


def timeline_lane(
    texts: LaneTexts, number: int, lane: Lane, snapshots: Sequence[str], max_text: int
) -> TimelineLane:
    name = texts.name(number, lane)
    if lane.mode is LaneMode.SNAPSHOT:
        pieces = snapshot_deltas(snapshots)
        fits = bool(pieces) and sum(len(rest) for _, rest in pieces) <= max_text
        return TimelineLane(lane.choice, lane.kind, name, None, pieces if fits else None)
    text = texts.text(number, lane)
    fits = text is not None and len(text) <= max_text
    return TimelineLane(lane.choice, lane.kind, name, well_formed(text or "") if fits else None)
