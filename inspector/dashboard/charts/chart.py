"""Charts of numbers over time: stacked columns and curves with labels and links.

Horizontal positions are percent of the width, so that charts fit any window without a script.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlencode

from inspector.dashboard.charts.axis import AxisSlot, AxisTick, TimeAxis
from inspector.dashboard.charts.scale import (
    HEIGHT,
    FormatNumber,
    MarginLabel,
    Values,
    ValueScale,
    scale_of,
    spread_labels,
)
from inspector.dashboard.charts.step_lines import StepLines
from inspector.formatting.humanize import css_percent

TOTAL = "total"

Summed = TypeVar("Summed")


class ColumnPart(NamedTuple):
    """One part of a column: ``tone`` is its CSS class, ``name`` its label if that differs.

    ``conditions`` are filters that list what the part counts; without any the part links where its
    slot does.
    """

    tone: str
    size: int
    name: str = ""
    conditions: tuple[tuple[str, str], ...] = ()
    aside: str = ""
    """Label suffix that explains a link leading to more than the part counts."""

    @property
    def label(self) -> str:
        return self.name or self.tone


ColumnParts = tuple[ColumnPart, ...]
"""From bottom to top."""


@dataclass(frozen=True, slots=True)
class ColumnStack(Generic[Summed]):
    """Turns the sums of one slot (usage or votes) into a column.

    ``heads`` are table headings for parts whose name would not do.
    """

    parts_of: Callable[[Summed], ColumnParts]
    format_number: FormatNumber
    heads: Mapping[str, str] = field(default_factory=dict)
    without: int | None = 0
    """Value of a part that a slot lacks; None if it is then unknown."""
    total: str = TOTAL
    """Heading for the sum of all parts."""
    height: int = HEIGHT


@dataclass(frozen=True, slots=True)
class ColumnBlock:
    """One drawn part; ``query`` and ``words`` are empty if they equal those of the column."""

    tone: str
    y: str
    height: str
    query: str
    words: str


@dataclass(frozen=True, slots=True)
class ChartColumn:
    slot: AxisSlot
    words: str
    blocks: tuple[ColumnBlock, ...] = ()
    before_y: str = ""
    """Height of the same slot in the previous period; empty if there is nothing to compare."""
    cells: tuple[str, ...] = ()
    """Table cells of this slot, one per heading; empty if nothing is known."""

    @property
    def is_empty(self) -> bool:
        return self.words == self.slot.when


@dataclass(frozen=True, slots=True)
class CurveSegment:
    """Line from one slot to the next; of zero length if the neighbour has no value."""

    x1: str
    y1: str
    x2: str
    y2: str

    @property
    def is_alone(self) -> bool:
        return (self.x1, self.y1) == (self.x2, self.y2)


@dataclass(frozen=True, slots=True)
class ChartCurve:
    """A line with gaps, not zeros, where nothing was observed."""

    name: str
    segments: tuple[CurveSegment, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    axis: TimeAxis
    columns: tuple[ChartColumn, ...]
    curves: tuple[ChartCurve, ...]
    grid: tuple[AxisTick, ...]
    heads: tuple[str, ...]
    """Headings of the table's number columns."""
    ends: tuple[MarginLabel, ...] = ()
    """Labels in the right margin."""
    steps: StepLines | None = None
    height: int = HEIGHT

    @property
    def is_empty(self) -> bool:
        return not self.observed_columns

    @property
    def has_before(self) -> bool:
        return any(each.before_y for each in self.columns)

    @property
    def observed_columns(self) -> tuple[ChartColumn, ...]:
        """Columns with a value, newest first, for the table."""
        return tuple(each for each in reversed(self.columns) if not each.is_empty)


def columns_chart(
    axis: TimeAxis,
    slots: Mapping[datetime, Summed],
    befores: Mapping[datetime, Summed],
    stack: ColumnStack[Summed],
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
        tuple(_with_cells(columns, series, "{:,}".format)),
        (),
        scale.grid(stack.format_number),
        tuple(head for head, _ in series),
        ends=spread_labels(_end(axis, parts, scale, stack.format_number), scale.height),
        height=scale.height,
    )


def curves_chart(
    axis: TimeAxis,
    slots: Mapping[datetime, Summed],
    values: Mapping[str, Callable[[Summed], int | None]],
    format_number: FormatNumber,
) -> Chart:
    starts = axis.period.slots
    every = {
        name: [of(slots[start]) if start in slots else None for start in starts]
        for name, of in values.items()
    }
    scale = scale_of([value for found in every.values() for value in found if value is not None])
    curves = (_curve(name, found, scale) for name, found in every.items())
    columns = [_curve_column(slot, at, every, format_number) for at, slot in enumerate(axis.slots)]
    return Chart(
        axis,
        tuple(_with_cells(columns, list(every.items()), format_number)),
        tuple(curve for curve in curves if curve is not None),
        scale.grid(format_number),
        tuple(every),
        ends=spread_labels(_curve_ends(axis, every, scale, format_number), HEIGHT),
    )


# -- the same as a table --------------------------------------------------------------------------

Series = Sequence[tuple[str, Values]]
"""Table columns by heading; headings need not be unique."""


def _series(
    sums: Sequence[Summed | None],
    parts: Sequence[ColumnParts],
    then: Sequence[int],
    stack: ColumnStack[Summed],
) -> Series:
    sizes = [
        None if each is None else {(part.tone, part.label): part.size for part in of}
        for each, of in zip(sums, parts, strict=True)
    ]
    found = dict.fromkeys(name for each in sizes if each is not None for name in each)
    order = {label: at for at, label in enumerate(stack.heads)}
    names = sorted(found, key=lambda name: order.get(name[1], len(order)))
    of, without = stack.heads, stack.without
    series: list[tuple[str, Values]] = [
        (of.get(name[1], name[1]), [None if e is None else e.get(name, without) for e in sizes])
        for name in names
    ]
    if len(names) > 1:
        totals = [sum(e.values()) if e or (e is not None and without == 0) else None for e in sizes]
        series.append((stack.total, totals))
    if any(then):
        series.append(("before", [size or None for size in then]))
    return series


def _with_cells(
    columns: Sequence[ChartColumn], series: Series, exactly: FormatNumber
) -> Iterator[ChartColumn]:
    for at, column in enumerate(columns):
        numbers = (values[at] for _, values in series)
        cells = tuple("" if number is None else exactly(number) for number in numbers)
        yield replace(column, cells=cells)


# -- places ---------------------------------------------------------------------------------------


def _size(parts: ColumnParts) -> int:
    return sum(part.size for part in parts)


def _column(
    slot: AxisSlot, parts: ColumnParts, before: int, scale: ValueScale, stack: ColumnStack[Summed]
) -> ChartColumn:
    format_number = stack.format_number
    details = ", ".join(f"{part.label} {format_number(part.size)}" for part in parts if part.size)
    whole = (
        format_number(_size(parts))
        if stack.total == TOTAL
        else f"{format_number(_size(parts))} {stack.total}"
    )
    words = f"{slot.when}: {whole} ({details})" if details else slot.when
    return ChartColumn(
        slot,
        words + (f"; before: {format_number(before)}" if before else ""),
        tuple(_blocks(slot, parts, scale, format_number)),
        scale.y(before) if before else "",
    )


def _end(
    axis: TimeAxis, parts: Sequence[ColumnParts], scale: ValueScale, format_number: FormatNumber
) -> Iterator[MarginLabel]:
    """Return the last column with a height, and its slot."""
    last = next((at for at in reversed(range(len(parts))) if _size(parts[at])), None)
    if last is not None:
        y = float(scale.y(_size(parts[last])))
        yield MarginLabel(y, format_number(_size(parts[last])), "strong")
        yield MarginLabel(y + 1, axis.slots[last].short, "soft")


def _curve_ends(
    axis: TimeAxis, every: Mapping[str, Values], scale: ValueScale, format_number: FormatNumber
) -> Iterator[MarginLabel]:
    """Labels the last value of each curve, naming the slot unless it is the last one."""
    lasts = []
    for name, values in every.items():
        last = next((at for at in reversed(range(len(values))) if values[at] is not None), None)
        if last is not None:
            lasts.append(last)
            value = values[last] or 0
            yield MarginLabel(float(scale.y(value)), f"{name} {format_number(value)}", "strong")
    if lasts and max(lasts) < len(axis.slots) - 1:
        yield MarginLabel(HEIGHT, axis.slots[max(lasts)].short, "soft")


def _curve_column(
    slot: AxisSlot, at: int, every: Mapping[str, Values], format_number: FormatNumber
) -> ChartColumn:
    found = {name: values[at] for name, values in every.items()}
    details = ", ".join(
        f"{name} {format_number(value)}" for name, value in found.items() if value is not None
    )
    return ChartColumn(slot, f"{slot.when}: {details}" if details else slot.when)


def _blocks(
    slot: AxisSlot, parts: ColumnParts, scale: ValueScale, format_number: FormatNumber
) -> Iterator[ColumnBlock]:
    below = 0
    for part in parts:
        if part.size:
            below += part.size
            conditions = f"{urlencode(part.conditions)}&" if part.conditions else ""
            leads = bool(part.conditions or part.aside)
            yield ColumnBlock(
                part.tone,
                scale.y(below),
                scale.length(part.size),
                f"{conditions}{slot.query}" if leads else "",
                f"{slot.when}: {part.label} {format_number(part.size)}{part.aside}"
                if leads
                else "",
            )


def _curve(name: str, values: Values, scale: ValueScale) -> ChartCurve | None:
    places = [
        (css_percent((at + 0.5) * 100 / len(values)), scale.y(value)) if value is not None else None
        for at, value in enumerate(values)
    ]
    segments = tuple(
        CurveSegment(*here, *(following or here))
        for here, following in zip(places, [*places[1:], None], strict=True)
        if here is not None
    )
    return ChartCurve(name, segments) if segments else None
