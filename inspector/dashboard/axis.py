"""Time as all drawings of one page share it: its slots from left to right, and its ticks.

Places are percent of the width, so that a drawing needs no script to fit its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from inspector.dashboard.strip import day, percent
from inspector.usage.periods import Period

MOST_TICKS = 8
BAR_SHARE = 0.86

LeadsTo = Callable[[datetime, datetime], str]
"""The query of whatever lists what came from one moment up to another."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A stretch of time: where it is drawn, and the query of what came in it."""

    x: str
    when: str
    query: str
    short: str
    """When, for where there is little room."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the grid or a tick of time: its place, and what stands at it."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The same for all drawings of one period."""

    period: Period
    slots: tuple[Slot, ...]
    ticks: tuple[Mark, ...]
    slot_width: str
    bar_width: str
    """Of its slot."""


def axis_of(period: Period, leads_to: LeadsTo, now: datetime | None = None) -> Axis:
    """The slot that ``now`` lies in has not ended."""
    starts = period.slots
    width, length = 100 / len(starts), timedelta(seconds=period.slot_seconds)
    slots = tuple(
        Slot(
            percent(at * width),
            _when(period, start),
            leads_to(start, start + length),
            _short(period, start, now is not None and start <= now < start + length),
        )
        for at, start in enumerate(starts)
    )
    return Axis(period, slots, tuple(_ticks(period)), percent(width), percent(BAR_SHARE * 100))


def _ticks(period: Period) -> Iterator[Mark]:
    slots = period.slots
    every = max(1, -(-len(slots) // MOST_TICKS))
    for at in range(0, len(slots), every):
        yield Mark(percent((at + 0.5) * 100 / len(slots)), _short(period, slots[at]))


def _short(period: Period, start: datetime, is_open: bool = False) -> str:
    if period.is_by_the_hour:
        return f"{start:%H:%M}{' so far' if is_open else ''}"
    return "today so far" if is_open else f"{start.day} {start:%b}"


def _when(period: Period, start: datetime) -> str:
    return f"{day(start)}, {start:%H:%M}" if period.is_by_the_hour else day(start)
