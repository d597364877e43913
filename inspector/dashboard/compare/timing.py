"""Compares times on a common clock: a table, a chart, and a simultaneous replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from inspector.core.analysis import Analysis, Timeline
from inspector.core.wire.exchange import Clock
from inspector.dashboard.capture.panels.timeline import CLOCK_WORDS
from inspector.dashboard.capture.timeline.timeline_data import first_times
from inspector.dashboard.charts.response_shape import ShapeBar, without_stall
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    comparison_table,
)
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.usage_counts import merged_order
from inspector.dashboard.compare_links import ordinal_words
from inspector.formatting.humanize import plural, rate, seconds
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.lanes import LaneTexts
from inspector.formatting.pacing import lane_pace_row

MAX_STALLS = 50
MAX_LANES = 20
WHOLE = 100
"""Chart width in percent."""
UNKNOWN = "unknown"

Time = Callable[[Timeline], int | None]


@dataclass(frozen=True, slots=True)
class TimingBar:
    """One side on the shared scale, in percent; ``timing_words`` is its description."""

    ordinal: str
    words: str
    wait: float
    bars: tuple[ShapeBar, ...]
    stalls: tuple[tuple[float, float], ...]
    end: float


@dataclass(frozen=True, slots=True)
class TimingComparison:
    bars: tuple[TimingBar, ...]
    undrawn: str
    scale: str
    table: ComparisonTable
    replayed: tuple[ReplayedSide, ...]
    unplayed: str
    """Why a side is not replayed, or how its clock limits the others."""


@dataclass(frozen=True, slots=True)
class ReplayedSide:
    id: UUID
    ordinal: str


def compare_timing(sides: tuple[ComparedSide, ...]) -> ComparisonSection:
    timelines = tuple(side.analysis.timeline for side in sides if side.analysis is not None)
    if all(each.clock is Clock.NONE for each in timelines):
        return ComparisonSection("timing", "Timing", "No arrival times were recorded.", count="–")
    drawable = [side for side in sides if duration_of(side) is not None]
    longest = max((duration_of(side) or 0 for side in drawable), default=0)
    undrawn = [side.position for side in sides if side not in drawable]
    content = TimingComparison(
        bars=tuple(timing_bar(side, longest) for side in drawable) if longest else (),
        undrawn=f"Duration unknown: {ordinal_words(undrawn)}." if undrawn and longest else "",
        scale=seconds(longest),
        table=comparison_table(
            "Times of each side", column_heads(sides), timing_rows(sides, timelines)
        ),
        replayed=replayed_sides(sides),
        unplayed=not_replayable(sides),
    )
    return ComparisonSection(
        slug="timing",
        title="Timing",
        sentence="Times always differ, so they are shown but not counted as differences.",
        content=content,
        count="",
        form="timing",
    )


def duration_of(side: ComparedSide) -> int | None:
    return side.analysis.timeline.duration_us if side.analysis else None


# -- replay ---------------------------------------------------------------------------------------


def replayed_sides(sides: tuple[ComparedSide, ...]) -> tuple[ReplayedSide, ...]:
    """Each capture once, if at least two can be replayed on a common clock."""
    by_id = {side.named.id: side.ordinal for side in reversed(sides) if is_timed(side)}
    in_their_order = dict.fromkeys(side.named.id for side in sides if is_timed(side))
    found = tuple(ReplayedSide(capture_id, by_id[capture_id]) for capture_id in in_their_order)
    return found if len(found) > 1 else ()


def not_replayable(sides: tuple[ComparedSide, ...]) -> str:
    if not replayed_sides(sides):
        return ""
    without_times = [side.position for side in sides if not is_timed(side)]
    clocks = {clock_of(side) for side in sides if is_timed(side)}
    sentences = []
    if without_times:
        sentences.append(f"Not replayed, no arrival times stored: {ordinal_words(without_times)}.")
    if len(clocks) > 1:
        sentences.append("Some times start at the request, some at the first read.")
    return " ".join(sentences)


def is_timed(side: ComparedSide) -> bool:
    is_streamed = side.analysis is not None and side.analysis.streamed
    has_body = side.facts.row.body_deleted_at is None
    return is_streamed and has_body and clock_of(side) is not Clock.NONE


def clock_of(side: ComparedSide) -> Clock:
    return side.analysis.timeline.clock if side.analysis else Clock.NONE


# -- drawing ---------------------------------------------------------------------------------------


def timing_bar(side: ComparedSide, longest: int) -> TimingBar:
    assert side.analysis is not None, "what has a duration was read"
    times, duration = side.analysis.timeline, side.analysis.timeline.duration_us or 0
    stalls = [(stall.start_us, stall.end_us) for stall in times.stalls[:MAX_STALLS]]
    starts = sorted(
        ((first.kind, first.at_us) for first in first_times(times) if first.kind and first.at_us),
        key=lambda start: start[1],
    )

    def share(us: int) -> float:
        return round(us * WHOLE / longest, 2)

    return TimingBar(
        ordinal=side.ordinal,
        words=timing_words(starts, stalls, duration),
        wait=share(starts[0][1] if starts else duration),
        bars=tuple(
            ShapeBar(kind, share(begin), share(end - begin))
            for kind, begin, end in stretches(starts, stalls, duration)
        ),
        stalls=tuple((share(begin), share(end)) for begin, end in stalls),
        end=share(duration),
    )


LaneStarts = list[tuple[str, int]]
TimeRange = tuple[int, int]


def stretches(
    starts: LaneStarts, stalls: list[TimeRange], duration: int
) -> Iterator[tuple[str, int, int]]:
    """Kinds of output from their first time to the next one's, without stalls."""
    ends = [*(at for _, at in starts[1:]), duration]
    for (kind, start), end in zip(starts, ends, strict=True) if starts else ():
        left = [(start, end)]
        for stall in stalls:
            left = [piece for begin, stop in left for piece in without_stall(begin, stop, stall)]
        for begin, stop in left:
            yield kind, begin, stop


def timing_words(starts: LaneStarts, stalls: list[TimeRange], duration: int) -> str:
    parts = [f"{kind} from {seconds(at)}" for kind, at in starts]
    parts += [f"a stall of {seconds(end - begin)}" for begin, end in stalls[:3]]
    return ", ".join([*parts, f"ends at {seconds(duration)}"])


# -- table -----------------------------------------------------------------------------------------

TIMES: tuple[tuple[str, Time], ...] = (
    ("first byte", lambda times: times.first_byte_us),
    ("first event", lambda times: times.first_event_us),
    ("first chunk", lambda times: times.first_chunk_us),
    ("first reasoning", lambda times: times.first_reasoning_us),
    ("first content", lambda times: times.first_content_us),
    ("first tool call", lambda times: times.first_tool_call_us),
    ("duration", lambda times: times.duration_us),
    ("gap, p50", lambda times: times.gaps_us.p50 if times.gaps_us else None),
    ("gap, p95", lambda times: times.gaps_us.p95 if times.gaps_us else None),
    ("longest gap", lambda times: times.gaps_us.max if times.gaps_us else None),
    ("silence before the end", lambda times: times.end_silence_us),
)


def timing_rows(
    sides: tuple[ComparedSide, ...], timelines: tuple[Timeline, ...]
) -> Iterator[ComparisonRow]:
    clocks = tuple(ComparisonCell(CLOCK_WORDS[times.clock]) for times in timelines)
    yield ComparisonRow(exact_segments("times"), clocks, is_muted=True)
    for name, time in TIMES:
        found = [time(times) for times in timelines]
        if any(us is not None for us in found):
            yield ComparisonRow(
                exact_segments(name), tuple(time_cell(found[0], us) for us in found), is_muted=True
            )
    yield ComparisonRow(exact_segments("stalls"), tuple(map(stalls_cell, timelines)), is_muted=True)
    yield ComparisonRow(
        exact_segments("chunks came"), tuple(map(pacing_cell, timelines)), is_muted=True
    )
    yield from rate_rows(sides)


def time_cell(first: int | None, us: int | None) -> ComparisonCell:
    if us is None:
        return ComparisonCell(UNKNOWN, tone="faint")
    if first is None or seconds(first) == seconds(us):
        return ComparisonCell(seconds(us))
    sign = "+" if us > first else "−"
    return ComparisonCell(seconds(us), f"{sign}{seconds(abs(us - first))}")


def stalls_cell(times: Timeline) -> ComparisonCell:
    if times.gaps_us is None:
        return ComparisonCell(UNKNOWN, tone="faint")
    if not times.stalls:
        return ComparisonCell("none")
    longest = max(stall.end_us - stall.start_us for stall in times.stalls)
    return ComparisonCell(
        plural(len(times.stalls), "stall"), f"longest {seconds(longest)}", "warning"
    )


def pacing_cell(times: Timeline) -> ComparisonCell:
    return ComparisonCell(
        times.pacing.replace("-", " "), tone="faint" if times.pacing == UNKNOWN else ""
    )


def rate_rows(sides: tuple[ComparedSide, ...]) -> Iterator[ComparisonRow]:
    """Characters per second by lane, for the compared choices."""
    found = [dict(rates(side, side.analysis)) if side.analysis else {} for side in sides]
    for name in merged_order([list(each) for each in found])[:MAX_LANES]:
        cells = (each.get(name, ComparisonCell(UNKNOWN, tone="faint")) for each in found)
        yield ComparisonRow(exact_segments(f"{name}, characters/s"), tuple(cells), is_muted=True)


def rates(side: ComparedSide, analysis: Analysis) -> Iterator[tuple[str, ComparisonCell]]:
    indexes = {choice.index for choice in side.choices}
    texts = LaneTexts(analysis)
    for lane in analysis.timeline.lanes[: 10 * MAX_LANES]:
        if lane.choice in indexes and lane.characters_per_second is not None:
            row = lane_pace_row(texts, lane)
            is_one = len(indexes) == 1
            name = row.name.removeprefix(f"choice {lane.choice} ") if is_one else row.name
            yield name, ComparisonCell(rate(lane.characters_per_second))
