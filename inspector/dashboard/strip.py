"""Captures over time: a bar for each stretch of it, the broken part of it in another colour."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.archive.counts import STEPS_SECONDS, Bar, Counts
from inspector.dashboard.narrowed import Narrowed
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.verdicts import TONES, Tone

HEIGHT = 36
LEAST_HEIGHT = 1.5
MOST_TICKS = 8
LAST_TICK_PERCENT = 94
DAY_S, HOUR_S, MINUTE_S = 86_400, 3_600, 60
UNITS = ((DAY_S, "day"), (HOUR_S, "hour"), (MINUTE_S, "minute"), (1, "second"))


@dataclass(frozen=True, slots=True)
class ShownBar:
    """``x`` and ``width`` in percent, heights in pixels from the foot."""

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
class Tick:
    x: str
    text: str


@dataclass(frozen=True, slots=True)
class Strip:
    step: str
    """The stretch of one bar in words: ``hour``, ``2 minutes``."""
    bars: tuple[ShownBar, ...]
    ticks: tuple[Tick, ...]
    height: int = HEIGHT

    @property
    def filled(self) -> tuple[ShownBar, ...]:
        """Newest first, for the table."""
        return tuple(bar for bar in reversed(self.bars) if bar.number)


def strip_of(counts: Counts, narrowed: Narrowed) -> Strip | None:
    """None where nothing was counted."""
    if not counts.bars:
        return None
    step_s = int(counts.step.total_seconds())
    highest = max(sum(bar.verdicts.values()) for bar in counts.bars)
    slot = 100 / len(counts.bars)
    bars = tuple(
        shown(bar, at * slot, slot, highest, narrowed) for at, bar in enumerate(counts.bars)
    )
    return Strip(in_words(step_s), bars, tuple(ticks(counts.bars, slot, step_s)))


def shown(bar: Bar, x: float, slot: float, highest: int, narrowed: Narrowed) -> ShownBar:
    number = sum(bar.verdicts.values())
    broken = sum(n for verdict, n in bar.verdicts.items() if verdict and is_broken(verdict))
    when = span(bar)
    return ShownBar(
        x=percent(x),
        width=percent(slot * 0.86),
        slot_width=percent(slot),
        height=height(number, highest),
        broken_height=height(broken, highest),
        number=number,
        broken=broken,
        when=when,
        words=f"{when}: {plural(number, 'capture')}" + (f", {broken:,} broken" if broken else ""),
        query=narrowed.between(written(bar.start), written(bar.end)),
    )


def is_broken(verdict: str) -> bool:
    return TONES.get(verdict, Tone.BROKEN) == Tone.BROKEN


def height(number: int, highest: int) -> float:
    return max(round(number / highest * HEIGHT, 1), LEAST_HEIGHT) if number else 0


def percent(number: float) -> str:
    return f"{number:.3f}%"


def ticks(bars: tuple[Bar, ...], slot: float, step_s: int) -> Iterable[Tick]:
    seconds = step_s * len(bars)
    tick_s = next((s for s in STEPS_SECONDS if s >= seconds / MOST_TICKS), seconds)
    for at, bar in enumerate(bars):
        x = at * slot
        if int(bar.start.timestamp()) % tick_s < step_s and x < LAST_TICK_PERCENT:
            yield Tick(percent(x), tick_words(bar.start, tick_s))


def tick_words(moment: datetime, tick_s: int) -> str:
    if tick_s >= DAY_S or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return day(moment)
    return f"{moment:%H:%M}" if tick_s >= MINUTE_S else f"{moment:%H:%M:%S}"


def span(bar: Bar) -> str:
    step_s = (bar.end - bar.start).total_seconds()
    if step_s >= DAY_S:
        return day(bar.start) if step_s == DAY_S else f"{day(bar.start)} to {day(bar.end)}"
    form = "%H:%M" if step_s >= MINUTE_S else "%H:%M:%S"
    return f"{day(bar.start)}, {bar.start:{form}} to {bar.end:{form}}"


def day(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b}"


def written(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def in_words(seconds: int) -> str:
    length, unit = next((length, unit) for length, unit in UNITS if seconds % length == 0)
    number = seconds // length
    return unit if number == 1 else f"{number} {unit}s"
