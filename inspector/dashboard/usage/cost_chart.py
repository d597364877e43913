"""Cost chart: the cost that lists show, as a stepped line."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from inspector.dashboard.charts.axis import AxisSlot, TimeAxis
from inspector.dashboard.charts.chart import Chart, ChartColumn, ColumnBlock
from inspector.dashboard.charts.scale import (
    HEIGHT,
    MarginLabel,
    ValueScale,
    scale_of,
    spread_labels,
)
from inspector.dashboard.charts.step_lines import StepLines, area_of, line_of
from inspector.dashboard.usage.wording import (
    dollars,
    exact_dollars,
    legible_amount,
    unpriced_captures_words,
)
from inspector.formatting.humanize import plural
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.queries import MeasureSums

NO_SUMS = MeasureSums()
LOWER_BOUND_MARK_PX = 6
"""Pixels by which a line is marked as a lower bound."""


def cost_chart(
    axis: TimeAxis, slots: Mapping[datetime, MeasureSums], befores: Mapping[datetime, MeasureSums]
) -> Chart:
    """Build the chart; slots without a known cost have a gap, and no 0 in the table."""
    now = [slots.get(start, NO_SUMS) for start in axis.period.slots]
    past = [ListedCost.of(befores.get(start, NO_SUMS)) for start in axis.period.before.slots]
    costs = [ListedCost.of(each) for each in now]
    values = [each.ticks for each in costs]
    known = (each.ticks for each in (*costs, *past))
    scale = scale_of([value for value in known if value is not None])
    table = dict(_table(now, costs, past))
    rows = zip(*table.values(), strict=True) if table else ((),) * len(now)
    every = zip(axis.slots, now, past, rows, strict=True)
    return Chart(
        axis,
        tuple(_column(slot, each, before, row, scale) for slot, each, before, row in every),
        (),
        scale.grid(dollars),
        tuple(table),
        steps=StepLines(len(values), line_of(values, scale), area_of(values, scale)),
        ends=spread_labels(_end(axis, costs, scale), HEIGHT),
    )


# -- drawn ----------------------------------------------------------------------------------------


def _end(axis: TimeAxis, costs: Sequence[ListedCost], scale: ValueScale) -> Iterator[MarginLabel]:
    """Label the last known cost, naming its slot unless it is the last one."""
    found = [(at, each, each.ticks) for at, each in enumerate(costs) if each.ticks is not None]
    if not found:
        return
    last, cost, ticks = found[-1]
    yield MarginLabel(float(scale.y(ticks)), legible_amount(cost), "strong")
    if last < len(costs) - 1:
        yield MarginLabel(HEIGHT, axis.slots[last].short, "soft")


def _column(
    slot: AxisSlot, sums: MeasureSums, before: ListedCost, cells: Sequence[str], scale: ValueScale
) -> ChartColumn:
    words = "; ".join(filter(None, (cost_words(sums), before_words(before), remark_words(sums))))
    mark = ColumnBlock(
        "lacking", str(HEIGHT - LOWER_BOUND_MARK_PX), str(LOWER_BOUND_MARK_PX), "", ""
    )
    return ChartColumn(
        slot,
        f"{slot.when}: {words}" if words else slot.when,
        (mark,) if ListedCost.of(sums).is_least else (),
        "" if before.ticks is None else scale.y(before.ticks),
        cells=tuple(cells),
    )


# -- in words -------------------------------------------------------------------------------------


def cost_words(sums: MeasureSums) -> str:
    cost = ListedCost.of(sums)
    if cost.ticks is not None:
        return dollars(cost.ticks)
    return f"cost unknown for {plural(cost.unknown, 'capture')}" if sums.amounts else ""


def before_words(before: ListedCost) -> str:
    return "" if before.ticks is None else f"before: {_least_sign(before)}{dollars(before.ticks)}"


def remark_words(sums: MeasureSums) -> str:
    """Note on the drawn sum."""
    cost, unpriced = ListedCost.of(sums), unpriced_captures_words(sums)
    least = f"at least: excludes {unpriced}" if cost.lower_bounds else ""
    more = cost.unknown if cost.captures else 0
    unknown = f"unknown for {plural(more, 'more capture')}" if more else ""
    return "; ".join(filter(None, (least, unknown)))


def _least_sign(cost: ListedCost) -> str:
    return "≥ " if cost.lower_bounds else ""


# -- as a table -----------------------------------------------------------------------------------


def _table(
    now: Sequence[MeasureSums], costs: Sequence[ListedCost], past: Sequence[ListedCost]
) -> Iterator[tuple[str, list[str]]]:
    """Table columns, leaving out those without values."""
    pairs = [*zip(now, costs, strict=True)]
    if any(each.captures for each in costs):
        # An unknown cost is shown as unknown beside the known ones.
        unknown = ["unknown" if each.amounts else "" for each in now]
        yield "cost", [exact_cost(cost) or word for cost, word in zip(costs, unknown, strict=True)]
    if any(each.unknown for each in costs):
        numbers = [f"{cost.unknown:,}" if each.amounts else "" for each, cost in pairs]
        yield "captures of unknown cost", numbers
    if any(each.captures for each in past):
        yield "before", [exact_cost(each) for each in past]


def exact_cost(cost: ListedCost) -> str:
    return "" if cost.ticks is None else f"{_least_sign(cost)}{exact_dollars(cost.ticks)}"
