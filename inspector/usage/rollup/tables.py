"""Usage groups as rows for CSV. A measure that no capture has is empty, which is not 0."""

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from inspector.core.completion import TOKEN_COUNTS
from inspector.usage.cost.money import TICKS
from inspector.usage.measures import HISTOGRAMS, Measure
from inspector.usage.rollup.dimensions import columns_of
from inspector.usage.rollup.queries import MeasureSums, UsageGroups

MAX_GROUPS = 1_000
"""The largest; `more` counts the others."""
TOO_LONG = (
    "Adding up so many groups takes longer than two seconds and was stopped."
    " A shorter period helps, or another grouping."
)
MONEY = {
    "computed_usd": Measure.COST_COMPUTED,
    "lower_bound_usd": Measure.COST_LOWER_BOUND,
    "stated_usd": Measure.COST_STATED,
    "computed_where_both_usd": Measure.COST_BOTH_COMPUTED,
    "lower_bound_where_both_usd": Measure.COST_BOTH_LOWER_BOUND,
    "stated_where_both_usd": Measure.COST_BOTH_STATED,
}
"""Sums of money. Of the computed cost, ``lower_bound`` is the part that excludes something billed;
``where_both``: of captures that state a cost and have one computed.
"""
COUNTED = (Measure.CAPTURES, Measure.STREAMED, Measure.USAGE_REPORTED)
RANKS = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
COLUMNS = (
    *COUNTED,
    *(column for name in TOKEN_COUNTS for column in (name, f"{name}_captures")),
    *(column for name in MONEY for column in (name, f"{name}_captures")),
    *("cost_unknown_captures", "cost_contradicts_stated_captures"),
    *("cost_stated_partly_captures", "cost_stated_odd_captures"),
    *(f"{name}_{rank}" for name in HISTOGRAMS for rank in RANKS),
)
# A model's name could begin a formula in a spreadsheet: at its start, or after a character that
# separates cells in some locale.
FORMULA_START = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\t\r\n])")


def header_of(by: str) -> list[str]:
    return [by, *columns_of(by)[1:], *COLUMNS]


def rows_of(groups: UsageGroups, by: str) -> Iterator[list[Any]]:
    """Yield a table's rows; the last tell what is not in it."""
    for group in groups.listed:
        values = (group.value, group.other_value)[: len(columns_of(by))]
        yield [*(FORMULA_START.sub(r"\1'", value or "") for value in values), *cells_of(group.sums)]
    empty = [None] * (len(columns_of(by)) - 1 + len(COLUMNS))
    if groups.others:
        yield [f"{groups.others} more, not listed", *empty]
    if groups.newest:
        yield [f"counted over the newest {groups.newest} captures", *empty]


def cells_of(sums: MeasureSums) -> list[Any]:
    keys = [(Measure.TOKENS, name) for name in TOKEN_COUNTS]
    tokens = (cell for key in keys for cell in (sums.total(key), sums[key].captures))
    money = (
        cell for each in MONEY.values() for cell in (total_usd(sums, each), sums[each].captures)
    )
    return [
        *(sums[each].captures for each in COUNTED),
        *tokens,
        *money,
        sum(sums.by_value(Measure.COST_UNKNOWN).values()),
        sums[Measure.COST_CONTRADICTS_STATED].captures,
        sums[Measure.COST_STATED_PARTLY].captures,
        sums[Measure.COST_STATED_ODD].captures,
        *(sums.percentile(name, rank) for name in HISTOGRAMS for rank in RANKS.values()),
    ]


def usd(ticks: int) -> str:
    """Dollars as exact decimal text, without an exponent, as CSV and JSON have them."""
    return f"{(Decimal(ticks) / TICKS).normalize():f}"


def total_usd(sums: MeasureSums, measure: Measure) -> str | None:
    """Return the sum in dollars, None where no capture has the measure."""
    total = sums.total(measure)
    return None if total is None else usd(total)
