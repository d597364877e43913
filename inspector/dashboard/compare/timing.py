"""When it came, on one clock: the same times of every side under each other, and one drawing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from uuid import UUID

from inspector.core.analysis import Analysis, Timeline
from inspector.core.exchange import Clock
from inspector.dashboard.compare.counts import in_order, ordinals
from inspector.dashboard.compare.named import in_ordinals
from inspector.dashboard.compare.section import Cell, Row, Section, Table, table
from inspector.dashboard.compare.side import Side
from inspector.dashboard.drawing import firsts
from inspector.dashboard.marks import exact
from inspector.dashboard.pace import lane_row
from inspector.dashboard.panels.timeline import CLOCK_WORDS
from inspector.dashboard.shape import Bar, without
from inspector.dashboard.templatetags.formats import plural, rate, seconds

MOST_STALLS = 50
MOST_LANES = 20
WHOLE = 100
"""Percent of the drawing's width."""
UNKNOWN = "unknown"

Time = Callable[[Timeline], int | None]


@dataclass(frozen=True, slots=True)
class Drawn:
    """One side on the shared scale, in percent of it; ``words`` say the same."""

    ordinal: str
    words: str
    wait: float
    bars: tuple[Bar, ...]
    stalls: tuple[tuple[float, float], ...]
    end: float


@dataclass(frozen=True, slots=True)
class Timing:
    drawn: tuple[Drawn, ...]
    undrawn: str
    scale: str
    table: Table
    replayed: tuple[Replayed, ...]
    unplayed: str
    """Why a side is not replayed, or what its clock does to the others."""


@dataclass(frozen=True, slots=True)
class Replayed:
    id: UUID
    ordinal: str


def timing(sides: tuple[Side, ...]) -> Section:
    timelines = tuple(side.analysis.timeline for side in sides if side.analysis is not None)
    if all(each.clock is Clock.NONE for each in timelines):
        return Section("timing", "Timing", "No arrival times were recorded.", count="–")
    drawable = [side for side in sides if duration_of(side) is not None]
    longest = max((duration_of(side) or 0 for side in drawable), default=0)
    undrawn = [side.position for side in sides if side not in drawable]
    content = Timing(
        drawn=tuple(drawn(side, longest) for side in drawable) if longest else (),
        undrawn=f"Duration unknown: {in_ordinals(undrawn)}." if undrawn and longest else "",
        scale=seconds(longest),
        table=table("Times of each side", ordinals(sides), rows(sides, timelines)),
        replayed=replayed(sides),
        unplayed=unplayed(sides),
    )
    return Section(
        slug="timing",
        title="Timing",
        sentence="Times always differ, so they are shown but not counted as differences.",
        content=content,
        count="",
        form="timing",
    )


def duration_of(side: Side) -> int | None:
    return side.analysis.timeline.duration_us if side.analysis else None


# -- replay ---------------------------------------------------------------------------------------


def replayed(sides: tuple[Side, ...]) -> tuple[Replayed, ...]:
    """Each capture once, where at least two can run on one clock."""
    by_id = {side.named.id: side.ordinal for side in reversed(sides) if is_timed(side)}
    in_their_order = dict.fromkeys(side.named.id for side in sides if is_timed(side))
    found = tuple(Replayed(id, by_id[id]) for id in in_their_order)
    return found if len(found) > 1 else ()


def unplayed(sides: tuple[Side, ...]) -> str:
    if not replayed(sides):
        return ""
    without_times = [side.position for side in sides if not is_timed(side)]
    clocks = {clock_of(side) for side in sides if is_timed(side)}
    told = []
    if without_times:
        told.append(f"Not replayed, no arrival times recorded: {in_ordinals(without_times)}.")
    if len(clocks) > 1:
        told.append("Some times start at the request, some at the first read.")
    return " ".join(told)


def is_timed(side: Side) -> bool:
    return side.analysis is not None and side.analysis.streamed and clock_of(side) is not Clock.NONE


def clock_of(side: Side) -> Clock:
    return side.analysis.timeline.clock if side.analysis else Clock.NONE


# -- drawing ---------------------------------------------------------------------------------------


def drawn(side: Side, longest: int) -> Drawn:
    assert side.analysis is not None, "what has a duration was read"
    times, duration = side.analysis.timeline, side.analysis.timeline.duration_us or 0
    stalls = [(stall.start_us, stall.end_us) for stall in times.stalls[:MOST_STALLS]]
    starts = sorted(
        ((first.kind, first.at_us) for first in firsts(times) if first.kind and first.at_us),
        key=lambda start: start[1],
    )

    def share(us: int) -> float:
        return round(us * WHOLE / longest, 2)

    return Drawn(
        ordinal=side.ordinal,
        words=words(starts, stalls, duration),
        wait=share(starts[0][1] if starts else duration),
        bars=tuple(
            Bar(kind, share(begin), share(end - begin))
            for kind, begin, end in stretches(starts, stalls, duration)
        ),
        stalls=tuple((share(begin), share(end)) for begin, end in stalls),
        end=share(duration),
    )


Starts = list[tuple[str, int]]
Stretch = tuple[int, int]


def stretches(
    starts: Starts, stalls: list[Stretch], duration: int
) -> Iterator[tuple[str, int, int]]:
    """Each kind of text from the moment it first came until the next begins, without stalls."""
    ends = [*(at for _, at in starts[1:]), duration]
    for (kind, start), end in zip(starts, ends, strict=True) if starts else ():
        left = [(start, end)]
        for stall in stalls:
            left = [piece for begin, stop in left for piece in without(begin, stop, stall)]
        for begin, stop in left:
            yield kind, begin, stop


def words(starts: Starts, stalls: list[Stretch], duration: int) -> str:
    told = [f"{kind} from {seconds(at)}" for kind, at in starts]
    told += [f"a stall of {seconds(end - begin)}" for begin, end in stalls[:3]]
    return ", ".join([*told, f"ends at {seconds(duration)}"])


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


def rows(sides: tuple[Side, ...], timelines: tuple[Timeline, ...]) -> Iterator[Row]:
    clocks = tuple(Cell(CLOCK_WORDS[times.clock]) for times in timelines)
    yield Row(exact("times"), clocks, is_muted=True)
    for name, time in TIMES:
        found = [time(times) for times in timelines]
        if any(us is not None for us in found):
            yield Row(exact(name), tuple(time_cell(found[0], us) for us in found), is_muted=True)
    yield Row(exact("stalls"), tuple(map(stalls_cell, timelines)), is_muted=True)
    yield Row(exact("chunks came"), tuple(map(pacing_cell, timelines)), is_muted=True)
    yield from rate_rows(sides)


def time_cell(first: int | None, us: int | None) -> Cell:
    if us is None:
        return Cell(UNKNOWN, tone="faint")
    if first is None or seconds(first) == seconds(us):
        return Cell(seconds(us))
    sign = "+" if us > first else "−"
    return Cell(seconds(us), f"{sign}{seconds(abs(us - first))}")


def stalls_cell(times: Timeline) -> Cell:
    if times.gaps_us is None:
        return Cell(UNKNOWN, tone="faint")
    if not times.stalls:
        return Cell("none")
    longest = max(stall.end_us - stall.start_us for stall in times.stalls)
    return Cell(plural(len(times.stalls), "stall"), f"longest {seconds(longest)}", "warning")


def pacing_cell(times: Timeline) -> Cell:
    return Cell(times.pacing.replace("-", " "), tone="faint" if times.pacing == UNKNOWN else "")


def rate_rows(sides: tuple[Side, ...]) -> Iterator[Row]:
    """Characters a second, by lane; lanes of the choices that are compared."""
    found = [dict(rates(side, side.analysis)) if side.analysis else {} for side in sides]
    for name in in_order([list(each) for each in found])[:MOST_LANES]:
        cells = (each.get(name, Cell(UNKNOWN, tone="faint")) for each in found)
        yield Row(exact(f"{name}, characters/s"), tuple(cells), is_muted=True)


def rates(side: Side, analysis: Analysis) -> Iterator[tuple[str, Cell]]:
    indexes = {choice.index for choice in side.choices}
    for lane in analysis.timeline.lanes[: 10 * MOST_LANES]:
        if lane.choice in indexes and lane.characters_per_second is not None:
            shown = lane_row(analysis, lane)
            is_one = len(indexes) == 1
            name = shown.name.removeprefix(f"choice {lane.choice} ") if is_one else shown.name
            yield name, Cell(rate(lane.characters_per_second))
