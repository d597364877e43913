"""Cost in a period: computed beside stated, and of how many captures each is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
from inspector.usage.cost import (
    AT_LEAST,
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
    said, captures = computed(every) or "unknown", every[COMPUTED].captures
    change = change_of(every.total(COMPUTED), before.total(COMPUTED))
    yield CostRow("computed", said, captures, change, query="cost=computed")
    if every[AT_LEAST].captures:
        yield least_row(every)
    said, captures = money(every, STATED) or "never sent", every[STATED].captures
    change = change_of(every.total(STATED), before.total(STATED))
    yield CostRow("stated by vendors", said, captures, change)
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
