"""Sums over time as drawings: every bar with its words and the captures behind it.

Horizontal places are percent of the width, so that a drawing needs no script to fit its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import TypeVar

from inspector.dashboard.strip import day, percent
from inspector.dashboard.verdicts import TONES, Tone
from inspector.usage.periods import Period
from inspector.usage.queries import Sums
from inspector.usage.share import BESIDE, VERDICT

HEIGHT = 180
MOST_TICKS = 8
GRID_LINES = 4
BAR_SHARE = 0.86

HEADS = {
    "cached": "prompt, cached",
    "prompt": "prompt, not cached",
    "reasoning": "completion, reasoning",
    "content": "completion, rest",
    "good": "complete",
    "part": "partial",
    "bad": "broken",
    "none": "cancelled",
    "wait": "in progress",
}
"""What the legends call the classes of parts."""

Summed = TypeVar("Summed")
Parts = tuple[tuple[str, int], ...]
"""By the class that draws them, from the foot upwards."""


@dataclass(frozen=True, slots=True)
class Block:
    tone: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class Column:
    x: str
    width: str
    slot_width: str
    blocks: tuple[Block, ...]
    before_y: str
    """Where the same slot of the period before ended; empty where there is nothing to compare."""
    mark_y: str
    """Where another sum of the same slot ends; empty where there is none."""
    when: str
    words: str
    start: datetime
    end: datetime
    cells: tuple[str, ...] = ()
    """Of the table below the drawing, one for each of its ``heads``; empty where none was told."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A line of the grid or a tick of time: its place, and what stands at it."""

    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Segment:
    """From one slot to the next; of no length where there is none to go to."""

    x1: str
    y1: str
    x2: str
    y2: str

    @property
    def is_alone(self) -> bool:
        return (self.x1, self.y1) == (self.x2, self.y2)


@dataclass(frozen=True, slots=True)
class Curve:
    """``last`` stands beside its end. Where nothing was observed is a hole, not a zero."""

    name: str
    segments: tuple[Segment, ...]
    last: str


@dataclass(frozen=True, slots=True)
class Chart:
    columns: tuple[Column, ...]
    curves: tuple[Curve, ...]
    grid: tuple[Mark, ...]
    ticks: tuple[Mark, ...]
    heads: tuple[str, ...]
    """Of the numbers in the table."""
    height: int = HEIGHT

    @property
    def is_empty(self) -> bool:
        return not self.told

    @property
    def told(self) -> tuple[Column, ...]:
        """Newest first, for the table."""
        return tuple(column for column in reversed(self.columns) if column.words != column.when)


Said = Callable[[int], str]


def columns_chart(
    period: Period,
    slots: Mapping[datetime, Summed],
    befores: Mapping[datetime, Summed],
    parts_of: Callable[[Summed], Parts],
    said: Said,
    mark_of: Callable[[Summed], int | None] = lambda sums: None,
    aside_of: Callable[[Summed], str] = lambda sums: "",
    exactly: Said = "{:,}".format,
) -> Chart:
    """``Summed`` is whatever the sums of one slot are: of usage, or of votes. ``mark_of``: another
    sum of the slot, drawn across its column; ``aside_of`` says it. ``exactly``: how the table
    says a number that is drawn.
    """
    now, then = _heights(period, slots, parts_of), _heights(period.before, befores, parts_of)
    sums = [slots.get(start) for start in period.slots]
    marks = [None if each is None else mark_of(each) for each in sums]
    top = _top([*now, *then, *(mark for mark in marks if mark is not None)])
    columns = (
        _column(period, at, () if each is None else parts_of(each), then[at], top, said)
        for at, each in enumerate(sums)
    )
    marked = tuple(
        _marked(column, mark, top, "" if each is None else aside_of(each))
        for column, mark, each in zip(columns, marks, sums, strict=True)
    )
    series = _series(sums, then, marks, parts_of)
    return Chart(
        tuple(_tabled(marked, series, exactly)),
        (),
        _grid(top, said),
        tuple(_ticks(period)),
        tuple(series),
    )


def curves_chart(
    period: Period,
    slots: Mapping[datetime, Sums],
    values: Mapping[str, Callable[[Sums], int | None]],
    said: Said,
) -> Chart:
    every = {
        name: [of(slots[start]) if start in slots else None for start in period.slots]
        for name, of in values.items()
    }
    top = _top([value for found in every.values() for value in found if value is not None])
    drawn = (_curve(name, found, top, said) for name, found in every.items())
    columns = tuple(_observed(period, at, every, said) for at in range(len(period.slots)))
    return Chart(
        tuple(_tabled(columns, every, said)),
        tuple(curve for curve in drawn if curve is not None),
        _grid(top, said),
        tuple(_ticks(period)),
        tuple(every),
    )


# -- what is stacked ------------------------------------------------------------------------------


def token_parts(sums: Sums) -> Parts:
    """Parts inside their wholes, so that their sum is that of the wholes."""
    prompt, completion = wholes(sums)
    cached = min(sums["cached_tokens"].total, prompt)
    reasoning = min(sums["reasoning_tokens"].total, completion)
    return (
        ("cached", cached),
        ("prompt", prompt - cached),
        ("reasoning", reasoning),
        ("content", completion - reasoning),
    )


def wholes(sums: Sums) -> tuple[int, int]:
    """Prompt and completion with what some vendors count beside them."""
    prompt = sums["prompt_tokens"].total + sums[f"{BESIDE}prompt_audio_tokens"].total
    completion = sums["completion_tokens"].total + sums[f"{BESIDE}reasoning_tokens"].total
    return prompt, completion


def verdict_parts(sums: Sums) -> Parts:
    found = {tone: 0 for tone in Tone}
    for verdict, captures in sums.under(VERDICT).items():
        found[TONES.get(verdict, Tone.BROKEN)] += captures
    return tuple((str(tone), captures) for tone, captures in found.items() if captures)


# -- the same as a table --------------------------------------------------------------------------

Series = Mapping[str, Sequence[int | None]]
"""Under the head of its column, one number for each slot."""


def _series(
    sums: Sequence[Summed | None],
    then: Sequence[int],
    marks: Sequence[int | None],
    parts_of: Callable[[Summed], Parts],
) -> Series:
    parts = [None if each is None else dict(parts_of(each)) for each in sums]
    names = dict.fromkeys(name for each in parts if each is not None for name in each)
    series: dict[str, Sequence[int | None]] = {
        HEADS.get(name, name): [None if each is None else each.get(name, 0) for each in parts]
        for name in names
    }
    if len(names) > 1:
        series["total"] = [None if each is None else sum(each.values()) for each in parts]
    if any(mark is not None for mark in marks):
        series["with stated amounts"] = marks
    if any(then):
        series["before"] = [size or None for size in then]
    return series


def _tabled(columns: Sequence[Column], series: Series, exactly: Said) -> Iterator[Column]:
    for at, column in enumerate(columns):
        numbers = (values[at] for values in series.values())
        cells = tuple("" if number is None else exactly(number) for number in numbers)
        yield replace(column, cells=cells)


# -- places ---------------------------------------------------------------------------------------


def _heights(
    period: Period, slots: Mapping[datetime, Summed], parts_of: Callable[[Summed], Parts]
) -> list[int]:
    every = (parts_of(slots[start]) if start in slots else () for start in period.slots)
    return [sum(size for _, size in parts) for parts in every]


def _column(period: Period, at: int, parts: Parts, before: int, top: int, said: Said) -> Column:
    total = sum(size for _, size in parts)
    listed = ", ".join(f"{name} {said(size)}" for name, size in parts if size)
    slot = _slot(period, at)
    # What has one part alone is called by it.
    of_parts = f"{listed}" if len(parts) == 1 else f"{said(total)} ({listed})"
    words = f"{slot.when}: {of_parts}" if listed else slot.when
    return replace(
        slot,
        blocks=tuple(_blocks(parts, top)),
        before_y=_y(before, top) if before else "",
        words=words + (f"; before: {said(before)}" if before else ""),
    )


def _marked(column: Column, mark: int | None, top: int, aside: str) -> Column:
    if mark is None:
        return column
    return replace(column, mark_y=_y(mark, top), words=f"{column.words}; {aside}")


def _observed(
    period: Period, at: int, every: Mapping[str, Sequence[int | None]], said: Said
) -> Column:
    slot = _slot(period, at)
    found = {name: values[at] for name, values in every.items()}
    listed = ", ".join(
        f"{name} {said(value)}" for name, value in found.items() if value is not None
    )
    return replace(slot, words=f"{slot.when}: {listed}") if listed else slot


def _slot(period: Period, at: int) -> Column:
    width = 100 / len(period.slots)
    start = period.slots[at]
    end = start + timedelta(seconds=period.slot_seconds)
    when = f"{day(start)}, {start:%H:%M}" if period.is_by_the_hour else day(start)
    places = (percent(at * width), percent(width * BAR_SHARE), percent(width))
    return Column(*places, (), "", "", when, when, start, end)


def _blocks(parts: Parts, top: int) -> Iterator[Block]:
    below = 0
    for tone, size in parts:
        if size:
            below += size
            yield Block(tone, _y(below, top), f"{size / top * HEIGHT:.2f}")


def _y(value: int, top: int) -> str:
    return f"{HEIGHT - value / top * HEIGHT:.2f}"


def _curve(name: str, values: Sequence[int | None], top: int, said: Said) -> Curve | None:
    places = [
        (percent((at + 0.5) * 100 / len(values)), _y(value, top)) if value is not None else None
        for at, value in enumerate(values)
    ]
    last = next((value for value in reversed(values) if value is not None), None)
    if last is None:
        return None
    segments = (
        Segment(*here, *(following or here))
        for here, following in zip(places, [*places[1:], None], strict=True)
        if here is not None
    )
    return Curve(name, tuple(segments), said(last))


def _top(values: Sequence[int]) -> int:
    """A round number that nothing exceeds."""
    highest = max(values, default=0) or 1
    power = int(f"1{'0' * (len(str(highest)) - 1)}")
    return next(step * power for step in (1, 2, 4, 5, 10) if step * power >= highest)


def _grid(top: int, said: Said) -> tuple[Mark, ...]:
    levels = [top * line // GRID_LINES for line in range(GRID_LINES + 1)]
    return tuple(Mark(_y(level, top), said(level)) for level in dict.fromkeys(levels))


def _ticks(period: Period) -> Iterator[Mark]:
    slots = period.slots
    every = max(1, -(-len(slots) // MOST_TICKS))
    for at in range(0, len(slots), every):
        text = f"{slots[at]:%H:%M}" if period.is_by_the_hour else f"{slots[at].day} {slots[at]:%b}"
        yield Mark(percent(at * 100 / len(slots)), text)
