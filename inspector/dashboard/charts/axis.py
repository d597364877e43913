"""The time axis that all charts of a page share: slots from left to right, and ticks.

Positions are percent of the width, so that charts fit any window without a script.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from inspector.formatting.humanize import css_percent, day_words
from inspector.usage.rollup.periods import Period

MAX_TICKS = 8
"""Their labels stand side by side in a narrow window."""
LEAST_SLOTS = 6
"""A bar of fewer would be a block."""
BAR_SHARE = 0.86
"""The rest of a slot parts it from the next one."""

LeadsTo = Callable[[datetime, datetime], str]
"""Returns the query of the list of what came between two moments."""


@dataclass(frozen=True, slots=True)
class AxisSlot:
    """One interval: its position, and the query that lists what came in it."""

    x: str
    when: str
    query: str
    short: str
    """Short label of the interval."""


@dataclass(frozen=True, slots=True)
class AxisTick:
    """A grid line or time tick: position and label."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class TimeAxis:
    period: Period
    slots: tuple[AxisSlot, ...]
    ticks: tuple[AxisTick, ...]
    slot_width: str
    bar_width: str
    """Width of a bar within its slot."""


def drawn_period(period: Period, found: Iterable[datetime]) -> Period:
    """Return the part of a period that charts draw: from the first slot in which anything was
    found, where that leaves out more than two thirds.
    """
    every, first = period.slots, min(found, default=period.start)
    filled = sum(start >= first for start in every)
    if filled * 3 >= len(every) or len(every) <= LEAST_SLOTS:
        return period
    length = timedelta(seconds=period.slot_seconds) * max(filled, LEAST_SLOTS)
    return replace(period, start=period.end - length)


def time_axis(period: Period, leads_to: LeadsTo, now: datetime | None = None) -> TimeAxis:
    """Build the axis; the slot that contains ``now`` is marked as unfinished."""
    starts = period.slots
    width, length = 100 / len(starts), timedelta(seconds=period.slot_seconds)
    slots = tuple(
        AxisSlot(
            css_percent(at * width),
            _when(period, start),
            leads_to(start, start + length),
            short_slot(period, start, now is not None and start <= now < start + length),
        )
        for at, start in enumerate(starts)
    )
    return TimeAxis(
        period, slots, tuple(_ticks(period)), css_percent(width), css_percent(BAR_SHARE * 100)
    )


def _ticks(period: Period) -> Iterator[AxisTick]:
    slots = period.slots
    every = max(1, -(-len(slots) // MAX_TICKS))
    for at in range(0, len(slots), every):
        yield AxisTick(css_percent((at + 0.5) * 100 / len(slots)), short_slot(period, slots[at]))


def short_slot(period: Period, start: datetime, is_open: bool = False) -> str:
    if period.is_by_the_hour:
        return f"{start:%H:%M}{' so far' if is_open else ''}"
    return "today so far" if is_open else f"{start.day} {start:%b}"


def _when(period: Period, start: datetime) -> str:
    return f"{day_words(start)}, {start:%H:%M}" if period.is_by_the_hour else day_words(start)
