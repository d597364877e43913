"""Cost in a period: computed beside stated, and of how many captures each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from inspector.dashboard.cost_words import reason_words, unpriced_words
from inspector.dashboard.usage_words import (
    both_computed,
    change_of,
    computed,
    counted,
    dollars,
    money,
    not_in_it,
    share,
)
from inspector.usage.measures import Measure
from inspector.usage.narrowing import CostState
from inspector.usage.queries import Sums

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


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """Why costs are not known, of how many captures, and the share that these are of all."""

    reason: str
    words: str
    captures: int
    share: str


def cost_coverage(every: Sums) -> Iterator[str]:
    captures, known = every[Measure.CAPTURES].captures, every[Measure.COST_COMPUTED].captures
    if known:
        yield f"cost known for {share(known, captures)}{by_tables(every)}"
    else:
        yield "no cost known"
    if missing := not_in_it(every):
        yield f"the cost excludes {missing}"
    if unknown := sum(every.under(UNKNOWN).values()):
        yield f"cost unknown for {unknown:,}"
    stated = every[STATED].captures
    if stated:
        yield f"cost stated by {share(stated, captures)}: {dollars(every[STATED].total)}"
    else:
        yield "no stated costs"


def by_tables(every: Sums) -> str:
    """Whose rates they are; where they are several, a table says which."""
    tables = every.under(TABLE)
    return f" ({next(iter(tables))})" if len(tables) == 1 else f" ({len(tables):,} price tables)"


def table_rows(every: Sums) -> tuple[tuple[str, int, str], ...]:
    """Those with the most captures; empty where there is only one, which the sentence names."""
    tables = every.by_value(Measure.COST_TABLE)
    found = counted(tables, every[Measure.CAPTURES].captures)
    return found[:MOST_TABLES] if len(found) > 1 else ()


def cost_rows(every: Sums, before: Sums) -> Iterator[CostRow]:
    said, captures = computed(every) or "unknown", every[Measure.COST_COMPUTED].captures
    change = change_of(every.total(Measure.COST_COMPUTED), before.total(Measure.COST_COMPUTED))
    yield CostRow("computed", said, captures, change, query=urlencode({"cost": CostState.COMPUTED}))
    if every[Measure.COST_AT_LEAST].captures:
        yield least_row(every)
    said, stated = money(every, Measure.COST_STATED) or "never sent", every[Measure.COST_STATED]
    change = change_of(every.total(Measure.COST_STATED), before.total(Measure.COST_STATED))
    yield CostRow("stated by vendors", said, stated.captures, change)
    if every[Measure.COST_BOTH_STATED].captures:
        yield from both_rows(every)
    if partly := every[Measure.COST_STATED_PARTLY].captures:
        yield CostRow("stated for some choices only", "not added", partly)
    if odd := every[STATED_ODD].captures:
        name, query = "stated, but not an amount", "finding=cost.stated-odd"
        yield CostRow(name, "not added", odd, query=query)


def least_row(every: Sums) -> CostRow:
    name = f"of it, excluding {' or '.join(every.under(WITHOUT))}"
    said = f"at least {money(every, AT_LEAST)}"
    return CostRow(name, said, every[AT_LEAST].captures, depth=1, query="cost=at+least")


def both_rows(every: Sums) -> Iterator[CostRow]:
    """Like with like."""
    captures = every[Measure.COST_BOTH_STATED].captures
    stated = money(every, Measure.COST_BOTH_STATED)
    yield CostRow("of those with both, stated", stated, captures, depth=1)
    yield CostRow("of those with both, computed", both_computed(every), captures, depth=1)
    differing = every[Measure.COST_DIFFERS].captures
    if differing:
        query = "finding=cost.stated-differs"
        yield CostRow("where they differ", "", differing, depth=1, query=query)


def unknown_rows(every: Sums) -> tuple[UnknownRow, ...]:
    captures = every[Measure.CAPTURES].captures
    return tuple(
        UnknownRow(reason, reason_words(reason), number, share(number, captures))
        for reason, number in every.by_value(Measure.COST_UNKNOWN).items()
    )
