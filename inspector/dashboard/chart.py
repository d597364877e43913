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
from inspector.dashboard.ends import End, spread
from inspector.dashboard.scale import HEIGHT, Said, Scale, Values, scale_of
from inspector.dashboard.steps import Steps
from inspector.dashboard.strip import percent

TOTAL = "total"

Summed = TypeVar("Summed")


class Part(NamedTuple):
    """Of a column. ``tone`` is the class that draws it, ``name`` what it is called if not so.

    ``conditions`` narrow a list down to it; without any it leads where all of its slot does.
    """

    tone: str
    size: int
    name: str = ""
    conditions: tuple[tuple[str, str], ...] = ()
    aside: str = ""
    """What its words end with, where it leads elsewhere than they let expect."""

    @property
    def said(self) -> str:
        return self.name or self.tone


Parts = tuple[Part, ...]
"""From the foot upwards."""


@dataclass(frozen=True, slots=True)
class Stack(Generic[Summed]):
    """How the sums of a slot, of usage or of votes, become a column.

    ``heads``: what the table calls parts where not by their names.
    """

    parts_of: Callable[[Summed], Parts]
    said: Said
    heads: Mapping[str, str] = field(default_factory=dict)
    without: int | None = 0
    """What a slot tells of a part that it does not have; None where that is not told."""
    total: str = TOTAL
    """What all parts of a slot are together."""
    height: int = HEIGHT


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
    """Where nothing was observed is a hole, not a zero."""

    name: str
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    axis: Axis
    columns: tuple[Column, ...]
    curves: tuple[Curve, ...]
    grid: tuple[Mark, ...]
    heads: tuple[str, ...]
    """Of the numbers in the table."""
    ends: tuple[End, ...] = ()
    """What stands in the right margin."""
    steps: Steps | None = None
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
    past = (befores.get(start) for start in axis.period.before.slots)
    then = [0 if each is None else _size(stack.parts_of(each)) for each in past]
    scale = scale_of([*map(_size, parts), *then], stack.height)
    columns = [
        _column(slot, of, before, scale, stack)
        for slot, of, before in zip(axis.slots, parts, then, strict=True)
    ]
    series = _series(sums, parts, then, stack)
    return Chart(
        axis,
        tuple(_tabled(columns, series, "{:,}".format)),
        (),
        scale.grid(stack.said),
        tuple(head for head, _ in series),
        ends=spread(_end(axis, parts, scale, stack.said), scale.height),
        height=scale.height,
    )


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
    scale = scale_of([value for found in every.values() for value in found if value is not None])
    drawn = (_curve(name, found, scale) for name, found in every.items())
    columns = [_observed(slot, at, every, said) for at, slot in enumerate(axis.slots)]
    return Chart(
        axis,
        tuple(_tabled(columns, list(every.items()), said)),
        tuple(curve for curve in drawn if curve is not None),
        scale.grid(said),
        tuple(every),
        ends=spread(_curve_ends(axis, every, scale, said), HEIGHT),
    )


# -- the same as a table --------------------------------------------------------------------------

Series = Sequence[tuple[str, Values]]
"""Under the head of its column. Parts may be called alike, and as the columns that are added."""


def _series(
    sums: Sequence[Summed | None],
    parts: Sequence[Parts],
    then: Sequence[int],
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
    if any(then):
        series.append(("before", [size or None for size in then]))
    return series


def _tabled(columns: Sequence[Column], series: Series, exactly: Said) -> Iterator[Column]:
    for at, column in enumerate(columns):
        numbers = (values[at] for _, values in series)
        cells = tuple("" if number is None else exactly(number) for number in numbers)
        yield replace(column, cells=cells)


# -- places ---------------------------------------------------------------------------------------


def _size(parts: Parts) -> int:
    return sum(part.size for part in parts)


def _column(slot: Slot, parts: Parts, before: int, scale: Scale, stack: Stack[Summed]) -> Column:
    said = stack.said
    listed = ", ".join(f"{part.said} {said(part.size)}" for part in parts if part.size)
    whole = said(_size(parts)) if stack.total == TOTAL else f"{said(_size(parts))} {stack.total}"
    words = f"{slot.when}: {whole} ({listed})" if listed else slot.when
    return Column(
        slot,
        words + (f"; before: {said(before)}" if before else ""),
        tuple(_blocks(slot, parts, scale, said)),
        scale.y(before) if before else "",
    )


def _end(axis: Axis, parts: Sequence[Parts], scale: Scale, said: Said) -> Iterator[End]:
    """The last column that has any height, and which one that is."""
    last = next((at for at in reversed(range(len(parts))) if _size(parts[at])), None)
    if last is not None:
        y = float(scale.y(_size(parts[last])))
        yield End(y, said(_size(parts[last])), "strong")
        yield End(y + 1, axis.slots[last].short, "soft")


def _curve_ends(axis: Axis, every: Mapping[str, Values], scale: Scale, said: Said) -> Iterator[End]:
    """The last values; of which slot, where that is not the last of all."""
    lasts = []
    for name, values in every.items():
        last = next((at for at in reversed(range(len(values))) if values[at] is not None), None)
        if last is not None:
            lasts.append(last)
            value = values[last] or 0
            yield End(float(scale.y(value)), f"{name} {said(value)}", "strong")
    if lasts and max(lasts) < len(axis.slots) - 1:
        yield End(HEIGHT, axis.slots[max(lasts)].short, "soft")


def _observed(slot: Slot, at: int, every: Mapping[str, Values], said: Said) -> Column:
    found = {name: values[at] for name, values in every.items()}
    listed = ", ".join(
        f"{name} {said(value)}" for name, value in found.items() if value is not None
    )
    return Column(slot, f"{slot.when}: {listed}" if listed else slot.when)


def _blocks(slot: Slot, parts: Parts, scale: Scale, said: Said) -> Iterator[Block]:
    below = 0
    for part in parts:
        if part.size:
            below += part.size
            conditions = f"{urlencode(part.conditions)}&" if part.conditions else ""
            leads = bool(part.conditions or part.aside)
            yield Block(
                part.tone,
                scale.y(below),
                scale.length(part.size),
                f"{conditions}{slot.query}" if leads else "",
                f"{slot.when}: {part.said} {said(part.size)}{part.aside}" if leads else "",
            )


def _curve(name: str, values: Values, scale: Scale) -> Curve | None:
    places = [
        (percent((at + 0.5) * 100 / len(values)), scale.y(value)) if value is not None else None
        for at, value in enumerate(values)
    ]
    segments = tuple(
        Segment(*here, *(following or here))
        for here, following in zip(places, [*places[1:], None], strict=True)
        if here is not None
    )
    return Curve(name, segments) if segments else None
