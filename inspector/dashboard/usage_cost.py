"""Cost in a period: computed beside stated, and of how many captures each is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from inspector.dashboard.axis import Axis
from inspector.dashboard.chart import Chart, Part, Parts, Stack, columns_chart
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_words import (
    both_computed,
    change_of,
    computed,
    counted,
    dollars,
    exact_dollars,
    money,
    not_in_it,
    share,
)
from inspector.usage.cost import (
    AT_LEAST,
    BOTH_COMPUTED,
    BOTH_STATED,
    COMPUTED,
    DIFFERS,
    STATED,
    STATED_ODD,
    STATED_PARTLY,
    TABLE,
    UNKNOWN,
    WITHOUT,
)
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
    query: str = ""
    """Of the archive, without the period; empty where it has no name for its captures."""


def cost_chart(
    axis: Axis, slots: Mapping[datetime, Sums], befores: Mapping[datetime, Sums]
) -> Chart:
    """Columns of what is computed, and a mark where stated costs are other ones."""
    return columns_chart(axis, slots, befores, COST_STACK)


def computed_parts(sums: Sums) -> Parts:
    return (Part("computed", sums[COMPUTED].total),)


def as_stated(sums: Sums) -> int | None:
    """The computed cost with stated amounts in place of those that they differ from; None where
    none does.
    """
    if not sums[DIFFERS].captures:
        return None
    return sums[COMPUTED].total - sums[BOTH_COMPUTED].total + sums[BOTH_STATED].total


def remarked(sums: Sums) -> str:
    """What is to be known of the sum that is drawn."""
    missing = not_in_it(sums)
    least = f"at least, for {missing} are not in it" if missing else ""
    return "; ".join(filter(None, (least, compared(sums))))


def compared(sums: Sums) -> str:
    """What the mark says, in words."""
    differing = sums[DIFFERS].captures
    if not differing:
        return ""
    captures = plural(sums[BOTH_STATED].captures, "capture")
    stated = dollars(sums[BOTH_STATED].total)
    return (
        f"{captures} state {stated} where {both_computed(sums)} is computed; {differing:,} differ"
    )


COST_STACK = Stack(
    computed_parts,
    dollars,
    exactly=exact_dollars,
    mark_of=as_stated,
    aside_of=remarked,
    before_number=lambda sums: "≥ " if sums[AT_LEAST].captures else "",
)


def cost_coverage(every: Sums) -> Iterator[str]:
    captures, known = every[CAPTURES].captures, every[COMPUTED].captures
    if known:
        yield f"cost is computed for {share(known, captures)}{by_tables(every)}"
    else:
        yield "no cost is computed"
    if missing := not_in_it(every):
        yield f"it is higher: {missing} are not in it"
    if unknown := sum(every.under(UNKNOWN).values()):
        yield f"it is unknown for {unknown:,}"
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
    amount, change = every[COMPUTED], change_of(every[COMPUTED].total, before.total(COMPUTED))
    said = computed(every) or "unknown"
    yield CostRow("computed", said, amount.captures, change, query="cost=computed")
    if every[AT_LEAST].captures:
        yield least_row(every)
    amount, change = every[STATED], change_of(every[STATED].total, before.total(STATED))
    said = money(every, STATED) or "never sent"
    yield CostRow("stated by vendors", said, amount.captures, change)
    if every[BOTH_STATED].captures:
        yield from both_rows(every)
    if partly := every[STATED_PARTLY].captures:
        yield CostRow("stated for some choices only", "not added", partly)
    if odd := every[STATED_ODD].captures:
        name, query = "stated, but no amount that can be added", "finding=cost.stated-odd"
        yield CostRow(name, "not added", odd, query=query)


def least_row(every: Sums) -> CostRow:
    name = f"of it, without {' or '.join(every.under(WITHOUT))}"
    said = f"at least {money(every, AT_LEAST)}"
    return CostRow(name, said, every[AT_LEAST].captures, depth=1, query="cost=at+least")


def both_rows(every: Sums) -> Iterator[CostRow]:
    """Like with like."""
    captures = every[BOTH_STATED].captures
    yield CostRow("of those with both, stated", money(every, BOTH_STATED), captures, depth=1)
    yield CostRow("of those with both, computed", both_computed(every), captures, depth=1)
    differing = every[DIFFERS].captures
    if differing:
        query = "finding=cost.stated-differs"
        yield CostRow("where they differ", "", differing, depth=1, query=query)


def unknown_rows(every: Sums) -> tuple[tuple[str, int, str], ...]:
    return counted(every.under(UNKNOWN), every[CAPTURES].captures)
