"""Compares times on a common clock: a table, a chart, and a simultaneous replay."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from inspector.core.analysis import Analysis, Timeline
from inspector.core.wire.exchange import Clock
from inspector.dashboard.capture.timeline.timeline_data import first_times
from inspector.dashboard.charts.response_shape import ShapeBar, without_stall
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    comparison_table,
    merged_order,
)
from inspector.dashboard.compare.side import ComparedSide, Sides
from inspector.formatting.humanize import plural, rate, seconds, short_time
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.lanes import LaneTexts
from inspector.formatting.pacing import lane_pace_row, pacing_word

MAX_STALLS = 50
"""Further marks on one chart would lie on each other."""
MAX_LANES = 20
WHOLE = 100
"""Chart width in percent."""
CLOCK_WORDS = {
    Clock.RECORDED: "counted from the request",
    Clock.PARTIAL: "counted from the first read",
    Clock.NONE: "none",
}
UNKNOWN = ComparisonCell("unknown", tone="faint")
CLOCKS_DIFFER = "Some times start at the request, some at the first read."

Time = Callable[[Timeline], int | None]


@dataclass(frozen=True, slots=True)
class TimingBar:
    """One side on the shared scale, in percent; ``timing_words`` is its description."""

    letter: str
    words: str
    wait: float
    bars: tuple[ShapeBar, ...]
    stalls: tuple[tuple[float, float], ...]
    end: float
    total: str


@dataclass(frozen=True, slots=True)
class TimingComparison:
    bars: tuple[TimingBar, ...]
    table: ComparisonTable
    replayed: tuple[ComparedSide, ...]
    """Both on a common clock, or none."""
    unplayed: str
    """How their clocks limit the replay."""

    @property
    def kinds(self) -> frozenset[str]:
        """What is drawn, for the legend."""
        drawn = {bar.kind for each in self.bars for bar in each.bars}
        waits = {"wait"} if any(each.wait for each in self.bars) else set()
        stalls = {"stall"} if any(each.stalls for each in self.bars) else set()
        return frozenset(drawn | waits | stalls)


def compare_timing(sides: Sides) -> ComparisonSection:
    if all(clock_of(side) is Clock.NONE for side in sides):
        return ComparisonSection("timing", "Timing", "No arrival times were recorded.", count="–")
    durations = [duration for side in sides if (duration := duration_of(side)) is not None]
    longest = max(durations, default=0)
    is_drawn = bool(longest) and len(durations) == len(sides)
    content = TimingComparison(
        bars=tuple(timing_bar(side, longest) for side in sides) if is_drawn else (),
        table=comparison_table("Times of each side", sides, timing_rows(sides)),
        replayed=sides if is_replayable(sides) else (),
        unplayed=CLOCKS_DIFFER if clock_of(sides[0]) is not clock_of(sides[1]) else "",
    )
    return ComparisonSection(
        slug="timing",
        title="Timing",
        sentence="",
        content=content,
        count="",
        form="timing",
    )


def duration_of(side: ComparedSide) -> int | None:
    return side.analysis.timeline.duration_us if side.analysis else None


def is_replayable(sides: Sides) -> bool:
    """Return True if both are captures of their own with times."""
    return sides[0].named.id != sides[1].named.id and all(is_timed(side) for side in sides)


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
        letter=side.letter,
        words=timing_words(starts, stalls, duration),
        wait=share(starts[0][1] if starts else duration),
        bars=tuple(
            ShapeBar(kind, share(begin), share(end - begin))
            for kind, begin, end in stretches(starts, stalls, duration)
        ),
        stalls=tuple((share(begin), share(end)) for begin, end in stalls),
        end=share(duration),
        total=short_time(duration),
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


def timing_rows(sides: Sides) -> Iterator[ComparisonRow]:
    before, after = (side.analysis for side in sides)
    assert before is not None and after is not None, "both were read"
    old, new = before.timeline, after.timeline
    yield muted_row("times", *(ComparisonCell(CLOCK_WORDS[each.clock]) for each in (old, new)))
    for name, time in TIMES:
        if time(old) is not None or time(new) is not None:
            first = time(old)
            yield muted_row(name, time_cell(first, first), time_cell(first, time(new)))
    yield muted_row("stalls", stalls_cell(old), stalls_cell(new))
    yield muted_row("chunks came", pacing_cell(old), pacing_cell(new))
    olds, news = dict(rates(sides[0], before)), dict(rates(sides[1], after))
    for name in merged_order(olds, news)[:MAX_LANES]:
        cells = olds.get(name, UNKNOWN), news.get(name, UNKNOWN)
        yield muted_row(f"{name}, characters/s", *cells)


def muted_row(name: str, before: ComparisonCell, after: ComparisonCell) -> ComparisonRow:
    return ComparisonRow(exact_segments(name), (before, after), is_muted=True)


def time_cell(first: int | None, us: int | None) -> ComparisonCell:
    if us is None:
        return UNKNOWN
    if first is None or seconds(first) == seconds(us):
        return ComparisonCell(seconds(us))
    sign = "+" if us > first else "−"
    return ComparisonCell(seconds(us), f"{sign}{seconds(abs(us - first))}")


def stalls_cell(times: Timeline) -> ComparisonCell:
    if times.gaps_us is None:
        return UNKNOWN
    if not times.stalls:
        return ComparisonCell("none")
    longest = max(stall.end_us - stall.start_us for stall in times.stalls)
    return ComparisonCell(
        plural(len(times.stalls), "stall"), f"longest {seconds(longest)}", "warning"
    )


def pacing_cell(times: Timeline) -> ComparisonCell:
    word = pacing_word(times)
    return ComparisonCell(word) if word else UNKNOWN


def rates(side: ComparedSide, analysis: Analysis) -> Iterator[tuple[str, ComparisonCell]]:
    """Characters per second by lane, for the compared choices."""
    indexes = {choice.index for choice in side.choices}
    texts = LaneTexts(analysis)
    for lane in analysis.timeline.lanes[: 10 * MAX_LANES]:
        if lane.choice in indexes and lane.characters_per_second is not None:
            row = lane_pace_row(texts, lane)
            is_one = len(indexes) == 1
            name = row.name.removeprefix(f"choice {lane.choice} ") if is_one else row.name
            yield name, ComparisonCell(rate(lane.characters_per_second))
