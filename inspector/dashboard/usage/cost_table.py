"""Cost table of a period: computed and stated costs, each with its number of captures."""

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlencode

from inspector.dashboard.text.cost_labels import reason_words, table_words, unpriced_words
from inspector.dashboard.usage.wording import (
    computed_cost,
    computed_cost_where_both,
    dollars,
    relative_change,
    rows_with_share,
    sum_in_dollars,
    unpriced_captures_words,
)
from inspector.formatting.humanize import share
from inspector.usage.cost.capture_fields import CostState
from inspector.usage.measures import Measure
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.queries import MeasureSums

MAX_PRICE_TABLES = 12
"""The most frequent: each release that priced captures of the period may have one."""


@dataclass(frozen=True, slots=True)
class UsageCostRow:
    """``amount`` is a word if unreported; ``captures`` is the number that report it."""

    name: str
    amount: str
    captures: int
    change: str = ""
    depth: int = 0
    query: str = ""
    """Archive query without the period; empty if no filter lists these captures."""


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A reason for unknown costs, with its captures and their share of all."""

    reason: str
    words: str
    captures: int
    share: str


def cost_known_words(every: MeasureSums) -> str:
    captures, known = every[Measure.CAPTURES].captures, ListedCost.of(every).captures
    return f"cost known for {share(known, captures)}" if known else "no cost known"


def cost_coverage_clauses(every: MeasureSums) -> Iterator[str]:
    captures, cost = every[Measure.CAPTURES].captures, ListedCost.of(every)
    computed = every[Measure.COST_COMPUTED].captures
    yield cost_known_words(every) + (price_tables_words(every) if computed else "")
    if unpriced := unpriced_captures_words(every):
        yield f"the cost excludes {unpriced}"
    if cost.unknown:
        yield f"cost unknown for {cost.unknown:,}"
    stated = every[Measure.COST_STATED]
    if stated.captures:
        yield f"cost stated by {share(stated.captures, captures)}: {dollars(stated.total)}"
    else:
        yield "no stated costs"


def price_tables_words(every: MeasureSums) -> str:
    """Names the price table; if there are several, a table lists them."""
    tables = every.by_value(Measure.COST_TABLE)
    return (
        f" ({table_words(next(iter(tables)))})"
        if len(tables) == 1
        else f" ({len(tables):,} price tables)"
    )


def price_table_rows(every: MeasureSums) -> tuple[tuple[str, int, str], ...]:
    """Return the most frequent price tables; empty if there is only one, which the sentence
    names.
    """
    tables = every.by_value(Measure.COST_TABLE)
    found = rows_with_share(tables, every[Measure.CAPTURES].captures)
    return found[:MAX_PRICE_TABLES] if len(found) > 1 else ()


def cost_rows(every: MeasureSums, before: MeasureSums) -> Iterator[UsageCostRow]:
    computed = computed_cost(every) or "unknown"
    captures = every[Measure.COST_COMPUTED].captures
    change = relative_change(
        every.total(Measure.COST_COMPUTED), before.total(Measure.COST_COMPUTED)
    )
    yield UsageCostRow(
        "computed", computed, captures, change, query=urlencode({"cost": CostState.COMPUTED})
    )
    if every[Measure.COST_LOWER_BOUND].captures:
        yield lower_bound_row(every)
    stated = sum_in_dollars(every, Measure.COST_STATED) or "never sent"
    captures = every[Measure.COST_STATED].captures
    change = relative_change(every.total(Measure.COST_STATED), before.total(Measure.COST_STATED))
    yield UsageCostRow("stated by vendors", stated, captures, change)
    if every[Measure.COST_BOTH_STATED].captures:
        yield from stated_and_computed_rows(every)
    if partly := every[Measure.COST_STATED_PARTLY].captures:
        yield UsageCostRow("stated for some choices only", "not added", partly)
    if odd := every[Measure.COST_STATED_ODD].captures:
        name, query = "stated, but not an amount", "finding=cost.stated-odd"
        yield UsageCostRow(name, "not added", odd, query=query)


def lower_bound_row(every: MeasureSums) -> UsageCostRow:
    unpriced = " or ".join(map(unpriced_words, every.by_value(Measure.UNPRICED)))
    amount = f"at least {sum_in_dollars(every, Measure.COST_LOWER_BOUND)}"
    captures = every[Measure.COST_LOWER_BOUND].captures
    query = urlencode({"cost": CostState.LOWER_BOUND})
    return UsageCostRow(f"excluding {unpriced}", amount, captures, depth=1, query=query)


def stated_and_computed_rows(every: MeasureSums) -> Iterator[UsageCostRow]:
    """Yield sums of stated and computed costs over the captures that have both."""
    captures = every[Measure.COST_BOTH_STATED].captures
    stated = sum_in_dollars(every, Measure.COST_BOTH_STATED)
    yield UsageCostRow("where both are known: stated", stated, captures, depth=1)
    yield UsageCostRow(
        "where both are known: computed", computed_cost_where_both(every), captures, depth=1
    )
    differing = every[Measure.COST_CONTRADICTS_STATED].captures
    if differing:
        query = "finding=cost.stated-differs"
        yield UsageCostRow("where they differ", "", differing, depth=1, query=query)


def unknown_cost_rows(every: MeasureSums) -> tuple[UnknownRow, ...]:
    captures = every[Measure.CAPTURES].captures
    return tuple(
        UnknownRow(reason, reason_words(reason), number, share(number, captures))
        for reason, number in every.by_value(Measure.COST_UNKNOWN).items()
    )
