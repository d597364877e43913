"""Cost chart: computed cost, and stated cost where it differs, as stepped lines."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from inspector.dashboard.charts.axis import AxisSlot, TimeAxis
from inspector.dashboard.charts.chart import Chart, ChartColumn, ColumnBlock
from inspector.dashboard.charts.scale import (
    HEIGHT,
    MarginLabel,
    Values,
    ValueScale,
    scale_of,
    spread_labels,
)
from inspector.dashboard.charts.step_lines import (
    StepLines,
    area_of,
    branch_of,
    label_of,
    line_of,
    separate_labels,
)
from inspector.dashboard.usage.wording import (
    computed_cost_where_both,
    dollars,
    exact_dollars,
    unpriced_captures_words,
)
from inspector.formatting.humanize import plural
from inspector.usage.measures import Measure
from inspector.usage.rollup.queries import MeasureSums

NO_SUMS = MeasureSums()
LOWER_BOUND_MARK_PX = 6
"""Pixels by which a line is marked as a lower bound."""


def cost_chart(
    axis: TimeAxis, slots: Mapping[datetime, MeasureSums], befores: Mapping[datetime, MeasureSums]
) -> Chart:
    """Build the chart; slots without a known cost have a gap, and no 0 in the table."""
    now = [slots.get(start, NO_SUMS) for start in axis.period.slots]
    past = [befores.get(start, NO_SUMS) for start in axis.period.before.slots]
    computed, stated = _computed(now), [cost_with_stated_amounts(each) for each in now]
    known = (value for values in (computed, stated, _computed(past)) for value in values)
    scale = scale_of([value for value in known if value is not None])
    table = dict(_table(now, past, stated))
    rows = zip(*table.values(), strict=True) if table else ((),) * len(now)
    every = zip(axis.slots, now, past, rows, strict=True)
    return Chart(
        axis,
        tuple(_column(slot, each, before, row, scale) for slot, each, before, row in every),
        (),
        scale.grid(dollars),
        tuple(table),
        steps=_steps(computed, stated, scale),
        ends=spread_labels(_ends(axis, now, stated, scale), HEIGHT),
    )


def _computed(every: Sequence[MeasureSums]) -> list[int | None]:
    return [each.total(Measure.COST_COMPUTED) for each in every]


def cost_with_stated_amounts(sums: MeasureSums) -> int | None:
    """Return computed cost, stated amounts in place of those they contradict; None if there are
    none.
    """
    if not sums[Measure.COST_CONTRADICTS_STATED].captures:
        return None
    of_both, stated = sums[Measure.COST_BOTH_COMPUTED], sums[Measure.COST_BOTH_STATED]
    return sums[Measure.COST_COMPUTED].total - of_both.total + stated.total


# -- drawn ----------------------------------------------------------------------------------------


def _steps(computed: Values, stated: Values, scale: ValueScale) -> StepLines:
    lines = (computed, stated)
    named = (("computed", "", computed), ("with stated costs", "stated", stated))
    return StepLines(
        len(computed),
        line_of(computed, scale),
        area_of(computed, scale),
        branch_of(stated, computed, scale),
        separate_labels(
            [
                label_of(text, tone, values, scale, lines)
                for text, tone, values in named
                if any(value is not None for value in values)
            ]
        ),
    )


def _ends(
    axis: TimeAxis, now: Sequence[MeasureSums], stated: Values, scale: ValueScale
) -> Iterator[MarginLabel]:
    """Labels the last known cost of each line, naming its slot unless it is the last one."""
    known = (at for at, sums in enumerate(now) if sums[Measure.COST_COMPUTED].captures)
    last = max(known, default=None)
    if last is None:
        return
    total, other = now[last][Measure.COST_COMPUTED].total, stated[last]
    least = "≥ " if is_lower_bound(now[last]) else ""
    yield MarginLabel(float(scale.y(total)), f"{least}{dollars(total)}", "strong")
    if other is not None:
        yield MarginLabel(float(scale.y(other)), f"{least}{dollars(other)}", "stated")
    if last < len(now) - 1:
        yield MarginLabel(HEIGHT, axis.slots[last].short, "soft")


def _column(
    slot: AxisSlot, sums: MeasureSums, before: MeasureSums, cells: Sequence[str], scale: ValueScale
) -> ChartColumn:
    words = "; ".join(filter(None, (cost_words(sums), before_words(before), remark_words(sums))))
    past = before.total(Measure.COST_COMPUTED)
    return ChartColumn(
        slot,
        f"{slot.when}: {words}" if words else slot.when,
        (
            ColumnBlock(
                "lacking", str(HEIGHT - LOWER_BOUND_MARK_PX), str(LOWER_BOUND_MARK_PX), "", ""
            ),
        )
        if is_lower_bound(sums)
        else (),
        "" if past is None else scale.y(past),
        cells=tuple(cells),
    )


# -- in words -------------------------------------------------------------------------------------


def lower_bound_sign(sums: MeasureSums) -> str:
    return "≥ " if sums[Measure.COST_LOWER_BOUND].captures else ""


def is_lower_bound(sums: MeasureSums) -> bool:
    """Return True if billed items are missing from the sum."""
    return bool(sums[Measure.COST_LOWER_BOUND].captures or unknown_cost_captures(sums))


def unknown_cost_captures(sums: MeasureSums) -> int:
    return sum(sums.by_value(Measure.COST_UNKNOWN).values())


def cost_words(sums: MeasureSums) -> str:
    total = sums.total(Measure.COST_COMPUTED)
    if total is not None:
        return f"computed {dollars(total)}"
    return (
        f"cost unknown for {plural(unknown_cost_captures(sums), 'capture')}" if sums.amounts else ""
    )


def before_words(before: MeasureSums) -> str:
    total = before.total(Measure.COST_COMPUTED)
    return "" if total is None else f"before: {lower_bound_sign(before)}{dollars(total)}"


def remark_words(sums: MeasureSums) -> str:
    """Note on the drawn sum."""
    unpriced = unpriced_captures_words(sums)
    more = unknown_cost_captures(sums) if sums[Measure.COST_COMPUTED].captures else 0
    least = f"at least: excludes {unpriced}" if unpriced else ""
    unknown = f"unknown for {plural(more, 'more capture')}" if more else ""
    return "; ".join(filter(None, (least, unknown, stated_cost_words(sums))))


def stated_cost_words(sums: MeasureSums) -> str:
    """Describe the line of stated costs."""
    differing = sums[Measure.COST_CONTRADICTS_STATED].captures
    if not differing:
        return ""
    both = sums[Measure.COST_BOTH_STATED]
    state = plural(both.captures, "capture states", "captures state")
    stated, differ = dollars(both.total), plural(differing, "differs", "differ")
    return f"{state} {stated} where {computed_cost_where_both(sums)} is computed; {differ}"


# -- as a table -----------------------------------------------------------------------------------


def _table(
    now: Sequence[MeasureSums], past: Sequence[MeasureSums], stated: Values
) -> Iterator[tuple[str, list[str]]]:
    """Table columns, leaving out those without values."""
    computed = [exact_cost(each, each.total(Measure.COST_COMPUTED)) for each in now]
    if any(computed):
        # An unknown cost is shown as unknown beside the known ones.
        yield (
            "computed",
            [
                cell or ("unknown" if each.amounts else "")
                for cell, each in zip(computed, now, strict=True)
            ],
        )
    if any(unknown_cost_captures(each) for each in now):
        yield (
            "captures of unknown cost",
            [f"{unknown_cost_captures(e):,}" if e.amounts else "" for e in now],
        )
    if any(other is not None for other in stated):
        both = zip(now, stated, strict=True)
        yield "with stated amounts", [exact_cost(each, other) for each, other in both]
    before = [exact_cost(each, each.total(Measure.COST_COMPUTED)) for each in past]
    if any(before):
        yield "before", before


def exact_cost(sums: MeasureSums, total: int | None) -> str:
    return "" if total is None else f"{lower_bound_sign(sums)}{exact_dollars(total)}"
