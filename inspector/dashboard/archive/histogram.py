"""Histogram of captures over time: one bar per interval, its failed share in another colour."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from inspector.archive.listing.facet_counts import STEPS_SECONDS, FacetCounts, HistogramBar
from inspector.dashboard.archive.filter_bar import FilterBar
from inspector.formatting.humanize import css_percent, day_words, iso_utc, plural
from inspector.formatting.verdicts import VerdictTone, worse_tone

HEIGHT = 24
LEAST_BARS = 5
"""Bars in which a course is seen; with fewer the chart is left out."""
MIN_HEIGHT = 1.5
"""One capture beside ten thousand is still seen."""
MAX_TICKS = 8
"""Their labels ("14:00") stand side by side in a narrow window."""
LAST_TICK_PERCENT = 94
"""Behind it a label would reach over the edge."""
DAY_S, HOUR_S, MINUTE_S = 86_400, 3_600, 60
UNITS = ((DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute"), (1, "second"))


@dataclass(frozen=True, slots=True)
class CaptureHistogramBar:
    """One bar: ``x`` and ``width`` in percent of the chart, heights in pixels from the baseline."""

    x: str
    width: str
    slot_width: str
    height: float
    broken_height: float
    number: int
    broken: int
    when: str
    words: str
    query: str

    @property
    def y(self) -> float:
        return HEIGHT - self.height

    @property
    def broken_y(self) -> float:
        return HEIGHT - self.broken_height


@dataclass(frozen=True, slots=True)
class CaptureHistogramTick:
    x: str
    text: str


@dataclass(frozen=True, slots=True)
class CaptureHistogram:
    step: str
    """Length of one interval in words, such as ``hour`` or ``2 minutes``."""
    bars: tuple[CaptureHistogramBar, ...]
    ticks: tuple[CaptureHistogramTick, ...]
    height: int = HEIGHT

    @property
    def says_something(self) -> bool:
        return len(self.bars_with_captures) >= LEAST_BARS

    @property
    def bars_with_captures(self) -> tuple[CaptureHistogramBar, ...]:
        """Bars with at least one capture, newest first, for the table below the chart."""
        return tuple(bar for bar in reversed(self.bars) if bar.number)


def build_histogram(counts: FacetCounts, filter_bar: FilterBar) -> CaptureHistogram | None:
    """Build the histogram; None if no captures were counted."""
    if not counts.bars:
        return None
    step_s = int(counts.step.total_seconds())
    highest = max(sum(bar.endings.values()) for bar in counts.bars)
    slot = 100 / len(counts.bars)
    bars = tuple(
        build_bar(bar, at * slot, slot, highest, filter_bar) for at, bar in enumerate(counts.bars)
    )
    return CaptureHistogram(
        duration_words(step_s), bars, tuple(build_ticks(counts.bars, slot, step_s))
    )


def build_bar(
    bar: HistogramBar, x: float, slot: float, highest: int, filter_bar: FilterBar
) -> CaptureHistogramBar:
    number = sum(bar.endings.values())
    broken = sum(n for ending, n in bar.endings.items() if is_broken(*ending))
    when = bar_time_range(bar)
    return CaptureHistogramBar(
        x=css_percent(x),
        width=css_percent(slot * 0.86),
        slot_width=css_percent(slot),
        height=bar_height(number, highest),
        broken_height=bar_height(broken, highest),
        number=number,
        broken=broken,
        when=when,
        words=f"{when}: {plural(number, 'capture')}" + (f", {broken:,} broken" if broken else ""),
        query=filter_bar.between(iso_utc(bar.start), iso_utc(bar.end)),
    )


def is_broken(verdict: str | None, result: str | None) -> bool:
    return verdict is not None and worse_tone(verdict, result) is VerdictTone.BROKEN


def bar_height(number: int, highest: int) -> float:
    return max(round(number / highest * HEIGHT, 1), MIN_HEIGHT) if number else 0


def build_ticks(
    bars: tuple[HistogramBar, ...], slot: float, step_s: int
) -> Iterable[CaptureHistogramTick]:
    seconds = step_s * len(bars)
    tick_s = next((s for s in STEPS_SECONDS if s >= seconds / MAX_TICKS), seconds)
    for at, bar in enumerate(bars):
        x = at * slot
        if int(bar.start.timestamp()) % tick_s < step_s and x < LAST_TICK_PERCENT:
            yield CaptureHistogramTick(css_percent(x), tick_label(bar.start, tick_s))


def tick_label(moment: datetime, tick_s: int) -> str:
    if tick_s >= DAY_S or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return day_words(moment)
    return f"{moment:%H:%M}" if tick_s >= MINUTE_S else f"{moment:%H:%M:%S}"


def bar_time_range(bar: HistogramBar) -> str:
    step_s = (bar.end - bar.start).total_seconds()
    if step_s >= DAY_S:
        return (
            day_words(bar.start)
            if step_s == DAY_S
            else f"{day_words(bar.start)} to {day_words(bar.end)}"
        )
    form = "%H:%M" if step_s >= MINUTE_S else "%H:%M:%S"
    return f"{day_words(bar.start)}, {bar.start:{form}} to {bar.end:{form}}"


def duration_words(seconds: int) -> str:
    length, unit = next((length, unit) for length, unit in UNITS if seconds % length == 0)
    number = seconds // length
    return unit if number == 1 else f"{number} {unit}s"
