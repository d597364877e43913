"""Cost over time as lines: computed, and with stated amounts where these are others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from inspector.dashboard.axis import Axis, Slot
from inspector.dashboard.chart import Block, Chart, Column
from inspector.dashboard.ends import End, spread
from inspector.dashboard.scale import HEIGHT, Scale, Values, scale_of
from inspector.dashboard.steps import Steps, apart, area_of, branch_of, label_of, line_of
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_words import both_computed, dollars, exact_dollars, not_in_it
from inspector.usage.measures import Measure
from inspector.usage.queries import Sums

NOTHING = Sums()
FOOT = 6
"""Pixels that say that a line lacks something."""


def cost_chart(
    axis: Axis, slots: Mapping[datetime, Sums], befores: Mapping[datetime, Sums]
) -> Chart:
    """Where no cost is known there is no line, and no 0 in the table."""
    now = [slots.get(start, NOTHING) for start in axis.period.slots]
    past = [befores.get(start, NOTHING) for start in axis.period.before.slots]
    computed, stated = _computed(now), [as_stated(each) for each in now]
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
        ends=spread(_ends(axis, now, stated, scale), HEIGHT),
    )


def _computed(every: Sequence[Sums]) -> list[int | None]:
    return [each.total(Measure.COST_COMPUTED) for each in every]


def as_stated(sums: Sums) -> int | None:
    """The computed cost with stated amounts in place of those that they differ from; None where
    none does.
    """
    if not sums[Measure.COST_DIFFERS].captures:
        return None
    of_both, stated = sums[Measure.COST_BOTH_COMPUTED], sums[Measure.COST_BOTH_STATED]
    return sums[Measure.COST_COMPUTED].total - of_both.total + stated.total


# -- drawn ----------------------------------------------------------------------------------------


def _steps(computed: Values, stated: Values, scale: Scale) -> Steps:
    lines = (computed, stated)
    named = (("computed", "", computed), ("stated by vendors", "stated", stated))
    return Steps(
        len(computed),
        line_of(computed, scale),
        area_of(computed, scale),
        branch_of(stated, computed, scale),
        apart(
            [
                label_of(text, tone, values, scale, lines)
                for text, tone, values in named
                if any(value is not None for value in values)
            ]
        ),
    )


def _ends(axis: Axis, now: Sequence[Sums], stated: Values, scale: Scale) -> Iterator[End]:
    """Of the last slot with a cost; which one that is, where it is not the last of all."""
    known = (at for at, sums in enumerate(now) if sums[Measure.COST_COMPUTED].captures)
    last = max(known, default=None)
    if last is None:
        return
    total, other = now[last][Measure.COST_COMPUTED].total, stated[last]
    least = "≥ " if lacks(now[last]) else ""
    yield End(float(scale.y(total)), f"{least}{dollars(total)}", "strong")
    if other is not None:
        yield End(float(scale.y(other)), f"{least}{dollars(other)}", "stated")
    if last < len(now) - 1:
        yield End(HEIGHT, axis.slots[last].short, "soft")


def _column(slot: Slot, sums: Sums, before: Sums, cells: Sequence[str], scale: Scale) -> Column:
    said = "; ".join(filter(None, (amount(sums), before_said(before), remarked(sums))))
    past = before.total(Measure.COST_COMPUTED)
    return Column(
        slot,
        f"{slot.when}: {said}" if said else slot.when,
        (Block("lacking", str(HEIGHT - FOOT), str(FOOT), "", ""),) if lacks(sums) else (),
        "" if past is None else scale.y(past),
        cells=tuple(cells),
    )


# -- in words -------------------------------------------------------------------------------------


def bound(sums: Sums) -> str:
    return "≥ " if sums[Measure.COST_AT_LEAST].captures else ""


def lacks(sums: Sums) -> bool:
    """Whether more was paid than is known."""
    return bool(sums[Measure.COST_AT_LEAST].captures or unknown(sums))


def unknown(sums: Sums) -> int:
    return sum(sums.by_value(Measure.COST_UNKNOWN).values())


def amount(sums: Sums) -> str:
    total = sums.total(Measure.COST_COMPUTED)
    if total is not None:
        return f"computed {dollars(total)}"
    return f"cost unknown for {plural(unknown(sums), 'capture')}" if sums.amounts else ""


def before_said(before: Sums) -> str:
    total = before.total(Measure.COST_COMPUTED)
    return "" if total is None else f"before: {bound(before)}{dollars(total)}"


def remarked(sums: Sums) -> str:
    """What is to be known of the sum that is drawn."""
    missing, more = not_in_it(sums), unknown(sums) if sums[COMPUTED].captures else 0
    least = f"at least: excludes {missing}" if missing else ""
    unpriced = f"unknown for {plural(more, 'more capture')}" if more else ""
    return "; ".join(filter(None, (least, unpriced, compared(sums))))


def compared(sums: Sums) -> str:
    """What the other line says, in words."""
    differing = sums[Measure.COST_DIFFERS].captures
    if not differing:
        return ""
    both = sums[Measure.COST_BOTH_STATED]
    state = plural(both.captures, "capture states", "captures state")
    stated, differ = dollars(both.total), plural(differing, "differs", "differ")
    return f"{state} {stated} where {both_computed(sums)} is computed; {differ}"


# -- as a table -----------------------------------------------------------------------------------


def _table(
    now: Sequence[Sums], past: Sequence[Sums], stated: Values
) -> Iterator[tuple[str, list[str]]]:
    """By their heads, those that tell anything."""
    computed = [exactly(each, each.total(Measure.COST_COMPUTED)) for each in now]
    if any(computed):
        # What is not known is told as that beside what is.
        yield (
            "computed",
            [
                cell or ("unknown" if each.amounts else "")
                for cell, each in zip(computed, now, strict=True)
            ],
        )
    if any(unknown(each) for each in now):
        yield "captures of unknown cost", [f"{unknown(e):,}" if e.amounts else "" for e in now]
    if any(other is not None for other in stated):
        both = zip(now, stated, strict=True)
        yield "with stated amounts", [exactly(each, other) for each, other in both]
    before = [exactly(each, each.total(Measure.COST_COMPUTED)) for each in past]
    if any(before):
        yield "before", before


def exactly(sums: Sums, total: int | None) -> str:
    return "" if total is None else f"{bound(sums)}{exact_dollars(total)}"
