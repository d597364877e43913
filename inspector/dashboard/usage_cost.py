"""Cost in a period: computed beside stated, and of how many captures each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_charts import Chart, Parts, columns_chart
from inspector.dashboard.usage_words import change_of, counted, dollars, exact_dollars, money, share
from inspector.usage.cost import (
    BOTH_COMPUTED,
    BOTH_STATED,
    COMPUTED,
    DIFFERS,
    STATED,
    STATED_PARTLY,
    TABLE,
    UNKNOWN,
)
from inspector.usage.periods import Period
from inspector.usage.queries import Sums
from inspector.usage.share import CAPTURES

MOST_TABLES = 12


@dataclass(frozen=True, slots=True)
class CostRow:
    """``said`` in words where nobody told it; ``captures`` is how many did."""

    name: str
    said: str
    captures: int
    change: str = ""
    depth: int = 0
    finding: str = ""
    """The code of the finding that its captures have."""


def cost_chart(
    period: Period, slots: Mapping[datetime, Sums], befores: Mapping[datetime, Sums]
) -> Chart:
    """Columns of what is computed, and a mark where stated costs are other ones."""
    return columns_chart(
        period,
        slots,
        befores,
        computed_parts,
        dollars,
        mark_of=as_stated,
        aside_of=compared,
        exactly=exact_dollars,
    )


def computed_parts(sums: Sums) -> Parts:
    return (("computed", sums[COMPUTED].total),)


def as_stated(sums: Sums) -> int | None:
    """The computed cost with stated amounts in place of those that they differ from; None where
    none does.
    """
    if not sums[DIFFERS].captures:
        return None
    return sums[COMPUTED].total - sums[BOTH_COMPUTED].total + sums[BOTH_STATED].total


def compared(sums: Sums) -> str:
    """What the mark says, in words."""
    differing = sums[DIFFERS].captures
    if not differing:
        return ""
    captures = plural(sums[BOTH_STATED].captures, "capture")
    stated, computed = dollars(sums[BOTH_STATED].total), dollars(sums[BOTH_COMPUTED].total)
    return f"{captures} state {stated} where {computed} is computed; {differing:,} differ"


def cost_coverage(every: Sums) -> Iterator[str]:
    captures, computed = every[CAPTURES].captures, every[COMPUTED].captures
    if computed:
        yield f"cost is computed for {share(computed, captures)}{by_tables(every)}"
    else:
        yield "no cost is computed"
    unknown = every.under(UNKNOWN)
    if unknown:
        listed = ", ".join(f"{reason} {number:,}" for reason, number in unknown.items())
        yield f"{sum(unknown.values()):,} unknown: {listed}"
    stated = every[STATED].captures
    if stated:
        yield f"a cost is stated by {share(stated, captures)}: {dollars(every[STATED].total)}"
    else:
        yield "none states a cost"


def by_tables(every: Sums) -> str:
    """Whose rates they are; where they are several, a table says which."""
    tables = every.under(TABLE)
    return f" by {next(iter(tables))}" if len(tables) == 1 else f" by {len(tables):,} price tables"


def table_rows(every: Sums) -> tuple[tuple[str, int, str], ...]:
    """Those with the most captures; empty where there is only one, which the sentence names."""
    tables = every.under(TABLE)
    found = counted(tables, every[CAPTURES].captures)
    return found[:MOST_TABLES] if len(found) > 1 else ()


def cost_rows(every: Sums, before: Sums) -> Iterator[CostRow]:
    for name, measure, nothing in (
        ("computed", COMPUTED, "unknown"),
        ("stated by vendors", STATED, "never sent"),
    ):
        amount = every[measure]
        change = change_of(amount.total, before.total(measure))
        yield CostRow(name, money(every, measure) or nothing, amount.captures, change)
    if every[BOTH_STATED].captures:
        yield from both_rows(every)
    if partly := every[STATED_PARTLY].captures:
        yield CostRow("stated for some choices only", "not added", partly)


def both_rows(every: Sums) -> Iterator[CostRow]:
    """Like with like."""
    captures = every[BOTH_STATED].captures
    yield CostRow("of those with both, stated", money(every, BOTH_STATED), captures, depth=1)
    yield CostRow("of those with both, computed", money(every, BOTH_COMPUTED), captures, depth=1)
    differing = every[DIFFERS].captures
    if differing:
        yield CostRow("where they differ", "", differing, depth=1, finding="cost.stated-differs")


def unknown_rows(every: Sums) -> tuple[tuple[str, int, str], ...]:
    return counted(every.under(UNKNOWN), every[CAPTURES].captures)
