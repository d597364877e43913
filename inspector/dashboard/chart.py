"""Numbers over time as drawings: every bar with its words and what lies behind it.

Horizontal places are percent of the width, so that a drawing needs no script to fit its window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from inspector.dashboard.axis import Axis, Mark, Slot
from inspector.dashboard.strip import percent

HEIGHT = 180
GRID_LINES = (4, 5, 2)
"""The first number of steps that divides the height evenly: what stands at a line is what it is."""
TOTAL = "total"

Summed = TypeVar("Summed")
Said = Callable[[int], str]


class Part(NamedTuple):
    """Of a column. ``tone`` is the class that draws it, ``name`` what it is called if not so.

    ``conditions`` narrow a list down to it; without any it leads where all of its slot does.
    """

    tone: str
    size: int
    name: str = ""
    conditions: tuple[tuple[str, str], ...] = ()

    @property
    def said(self) -> str:
        return self.name or self.tone


Parts = tuple[Part, ...]
"""From the foot upwards."""


@dataclass(frozen=True, slots=True)
class Stack(Generic[Summed]):
    """How the sums of a slot, of usage or of votes, become a column.

    ``mark_of``: another sum of the slot, drawn across its column; ``aside_of``: what else is to be
    known of it. ``exactly``: how the table says a number that is drawn; ``before_number``: what it
    writes in front of those of a slot. ``heads``: what it calls parts where not by their names.
    """

    parts_of: Callable[[Summed], Parts]
    said: Said
    exactly: Said = "{:,}".format
    heads: Mapping[str, str] = field(default_factory=dict)
    without: int | None = 0
    """What a slot tells of a part that it does not have; None where that is not told."""
    total: str = TOTAL
    """What all parts of a slot are together."""
    mark_of: Callable[[Summed], int | None] = lambda sums: None
    aside_of: Callable[[Summed], str] = lambda sums: ""
    before_number: Callable[[Summed], str] = lambda sums: ""


@dataclass(frozen=True, slots=True)
class Block:
    """``query`` and ``words`` are empty where it leads where its column does."""

    tone: str
    y: str
    height: str
    query: str
    words: str


@dataclass(frozen=True, slots=True)
class Column:
    slot: Slot
    words: str
    blocks: tuple[Block, ...] = ()
    before_y: str = ""
    """Where the same slot of the period before ended; empty where there is nothing to compare."""
    mark_y: str = ""
    """Where another sum of the same slot ends; empty where there is none."""
    cells: tuple[str, ...] = ()
    """Of the table below the drawing, one for each of its ``heads``; empty where none was told."""


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
    axis: Axis
    columns: tuple[Column, ...]
    curves: tuple[Curve, ...]
    grid: tuple[Mark, ...]
    heads: tuple[str, ...]
    """Of the numbers in the table."""
    height: int = HEIGHT

    @property
    def is_empty(self) -> bool:
        return not self.told

    @property
    def told(self) -> tuple[Column, ...]:
        """Newest first, for the table."""
        return tuple(each for each in reversed(self.columns) if each.words != each.slot.when)


def columns_chart(
    axis: Axis,
    slots: Mapping[datetime, Summed],
    befores: Mapping[datetime, Summed],
    stack: Stack[Summed],
) -> Chart:
    sums = [slots.get(start) for start in axis.period.slots]
    parts = [() if each is None else stack.parts_of(each) for each in sums]
    past = [befores.get(start) for start in axis.period.before.slots]
    then = [0 if each is None else _size(stack.parts_of(each)) for each in past]
    marks = [None if each is None else stack.mark_of(each) for each in sums]
    top = _top([*map(_size, parts), *then, *(mark for mark in marks if mark is not None)])
    bounds = [
        ["" if each is None else stack.before_number(each) for each in of] for of in (sums, past)
    ]
    columns = [
        _column(slot, parts[at], f"{bounds[1][at]}{stack.said(then[at])}", then[at], top, stack)
        for at, slot in enumerate(axis.slots)
    ]
    series = _series(sums, parts, then, marks, stack)
    tabled = _bounded(_tabled(columns, series, stack.exactly), bounds, any(then))
    told = (
        column if each is None else _remarked(column, marks[at], top, each, stack)
        for at, (column, each) in enumerate(zip(tabled, sums, strict=True))
    )
    return Chart(axis, tuple(told), (), _grid(top, stack.said), tuple(head for head, _ in series))


def curves_chart(
    axis: Axis,
    slots: Mapping[datetime, Summed],
    values: Mapping[str, Callable[[Summed], int | None]],
    said: Said,
) -> Chart:
    starts = axis.period.slots
    every = {
        name: [of(slots[start]) if start in slots else None for start in starts]
        for name, of in values.items()
    }
    top = _top([value for found in every.values() for value in found if value is not None])
    drawn = (_curve(name, found, top, said) for name, found in every.items())
    columns = [_observed(slot, at, every, said) for at, slot in enumerate(axis.slots)]
    return Chart(
        axis,
        tuple(_tabled(columns, list(every.items()), said)),
        tuple(curve for curve in drawn if curve is not None),
        _grid(top, said),
        tuple(every),
    )


# -- the same as a table --------------------------------------------------------------------------

Values = Sequence[int | None]
"""One for each slot."""
Series = Sequence[tuple[str, Values]]
"""Under the head of its column. Parts may be called alike, and as the columns that are added."""


def _series(
    sums: Sequence[Summed | None],
    parts: Sequence[Parts],
    then: Sequence[int],
    marks: Values,
    stack: Stack[Summed],
) -> Series:
    told = [
        None if each is None else {(part.tone, part.said): part.size for part in of}
        for each, of in zip(sums, parts, strict=True)
    ]
    found = dict.fromkeys(name for each in told if each is not None for name in each)
    order = {said: at for at, said in enumerate(stack.heads)}
    names = sorted(found, key=lambda name: order.get(name[1], len(order)))
    of, without = stack.heads, stack.without
    series: list[tuple[str, Values]] = [
        (of.get(name[1], name[1]), [None if e is None else e.get(name, without) for e in told])
        for name in names
    ]
    if len(names) > 1:
        totals = [sum(e.values()) if e or (e is not None and without == 0) else None for e in told]
        series.append((stack.total, totals))
    if any(mark is not None for mark in marks):
        series.append(("with stated amounts", marks))
    if any(then):
        series.append(("before", [size or None for size in then]))
    return series


def _tabled(columns: Sequence[Column], series: Series, exactly: Said) -> Iterator[Column]:
    for at, column in enumerate(columns):
        numbers = (values[at] for _, values in series)
        cells = tuple("" if number is None else exactly(number) for number in numbers)
        yield replace(column, cells=cells)


def _bounded(
    columns: Iterator[Column], bounds: Sequence[Sequence[str]], compares: bool
) -> Iterator[Column]:
    """``bounds``: what is written before the numbers of each slot, and before that of the period
    before, which is the last one.
    """
    for column, own, past in zip(columns, *bounds, strict=True):
        now = len(column.cells) - compares
        told = [own] * now + [past] * compares
        cells = (
            f"{bound}{cell}" if cell else "" for bound, cell in zip(told, column.cells, strict=True)
        )
        yield replace(column, cells=tuple(cells))


# -- places ---------------------------------------------------------------------------------------


def _size(parts: Parts) -> int:
    return sum(part.size for part in parts)


def _column(
    slot: Slot, parts: Parts, before_said: str, before: int, top: int, stack: Stack[Summed]
) -> Column:
    said = stack.said
    listed = ", ".join(f"{part.said} {said(part.size)}" for part in parts if part.size)
    # What has one part alone is called by it.
    whole = said(_size(parts)) if stack.total == TOTAL else f"{said(_size(parts))} {stack.total}"
    of_parts = listed if len(parts) == 1 else f"{whole} ({listed})"
    words = f"{slot.when}: {of_parts}" if listed else slot.when
    return Column(
        slot,
        words + (f"; before: {before_said}" if before else ""),
        tuple(_blocks(slot, parts, top, said)),
        _y(before, top) if before else "",
    )


def _remarked(
    column: Column, mark: int | None, top: int, sums: Summed, stack: Stack[Summed]
) -> Column:
    return replace(
        column,
        mark_y="" if mark is None else _y(mark, top),
        words="; ".join(filter(None, (column.words, stack.aside_of(sums)))),
    )


def _observed(slot: Slot, at: int, every: Mapping[str, Values], said: Said) -> Column:
    found = {name: values[at] for name, values in every.items()}
    listed = ", ".join(
        f"{name} {said(value)}" for name, value in found.items() if value is not None
    )
    return Column(slot, f"{slot.when}: {listed}" if listed else slot.when)


def _blocks(slot: Slot, parts: Parts, top: int, said: Said) -> Iterator[Block]:
    below = 0
    for part in parts:
        if part.size:
            below += part.size
            leads = bool(part.conditions)
            yield Block(
                part.tone,
                _y(below, top),
                f"{part.size / top * HEIGHT:.2f}",
                f"{urlencode(part.conditions)}&{slot.query}" if leads else "",
                f"{slot.when}: {part.said} {said(part.size)}" if leads else "",
            )


def _y(value: int, top: int) -> str:
    return f"{HEIGHT - value / top * HEIGHT:.2f}"


def _curve(name: str, values: Values, top: int, said: Said) -> Curve | None:
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
    steps = next((steps for steps in GRID_LINES if top % steps == 0), 1)
    levels = (top // steps * line for line in range(steps + 1))
    return tuple(Mark(_y(level, top), said(level)) for level in levels)
