"""Groups as rows for other programs: a value that nobody told is empty, which is not 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from inspector.usage.measures import HISTOGRAMS, Measure
from inspector.usage.money import TICKS
from inspector.usage.periods import Period
from inspector.usage.queries import Group, Groups, Sums
from inspector.usage.share import TOKENS

MOST_GROUPS = 1_000
TOO_LONG = (
    "Adding up so many groups takes longer than two seconds and was stopped."
    " A shorter period helps, or another grouping."
)
MONEY = {
    "computed_usd": Measure.COST_COMPUTED,
    "at_least_usd": Measure.COST_AT_LEAST,
    "stated_usd": Measure.COST_STATED,
    "both_computed_usd": Measure.COST_BOTH_COMPUTED,
    "both_at_least_usd": Measure.COST_BOTH_AT_LEAST,
    "both_stated_usd": Measure.COST_BOTH_STATED,
}
"""Sums of money; ``at_least`` is that part of the computed which something billed is not in,
``both`` are the captures that both state a cost and have one computed.
"""
COUNTED = (Measure.CAPTURES, Measure.STREAMED, Measure.USAGE_REPORTED)
RANKS = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
COLUMNS = (
    *COUNTED,
    *(column for name in TOKENS for column in (name, f"{name}_captures")),
    *(column for name in MONEY for column in (name, f"{name}_captures")),
    *("cost_unknown_captures", "cost_differs_captures"),
    *("cost_stated_partly_captures", "cost_stated_odd_captures"),
    *(f"{name}_{rank}" for name in HISTOGRAMS for rank in RANKS),
)
FORMULA = re.compile(r"(^|[;\t\r\n])(?=[=+\-@\t\r\n])")
"""Where a spreadsheet would begin a formula, if a model were called so: at its beginning, or where
other countries separate cells."""


def rows_of(groups: Groups) -> Iterator[list[Any]]:
    """Where not all are listed, the last row says how many others there are."""
    for group in groups.listed:
        yield [FORMULA.sub(r"\1'", group.value or ""), *cells(group.sums)]
    if groups.others:
        yield [f"{groups.others} more, not listed", *[None] * len(COLUMNS)]


def cells(sums: Sums) -> list[Any]:
    keys = [(Measure.TOKENS, name) for name in TOKENS]
    tokens = (cell for key in keys for cell in (sums.total(key), sums[key].captures))
    money = (cell for each in MONEY.values() for cell in (_usd(sums, each), sums[each].captures))
    return [
        *(sums[each].captures for each in COUNTED),
        *tokens,
        *money,
        sum(sums.by_value(Measure.COST_UNKNOWN).values()),
        sums[Measure.COST_DIFFERS].captures,
        sums[Measure.COST_STATED_PARTLY].captures,
        sums[Measure.COST_STATED_ODD].captures,
        *(sums.percentile(name, rank) for name in HISTOGRAMS for rank in RANKS.values()),
    ]


def answer_of(period: Period, by: str, every: Sums, groups: Groups) -> dict[str, Any]:
    """All captures of a period together, and each group of them."""
    return {
        **bounds(period),
        "by": by,
        "all": as_json(Group(None, every)),
        "groups": [as_json(group) for group in groups.listed],
        "more_groups": groups.others,
    }


def bounds(period: Period) -> dict[str, Any]:
    return {
        "since": _time(period.start),
        "until": _time(period.end),
        "slot_seconds": period.slot_seconds,
    }


def as_json(group: Group) -> dict[str, Any]:
    """Each count beside the number of captures that told it."""
    sums = group.sums
    return {
        "value": group.value,
        "captures": sums[Measure.CAPTURES].captures,
        "streamed": sums[Measure.STREAMED].captures,
        "verdicts": sums.by_value(Measure.VERDICT),
        "finish_reasons": sums.by_value(Measure.FINISH_REASON),
        "further_finish_reasons": sums[Measure.FURTHER_FINISH_REASONS].captures,
        "usage_reported": sums[Measure.USAGE_REPORTED].captures,
        "tokens": {
            name: {"sum": amount.total, "captures": amount.captures}
            for name in TOKENS
            if (amount := sums[Measure.TOKENS, name]).captures
        },
        **{
            name: {"sum": _usd(sums, measure), "captures": sums[measure].captures}
            for name, measure in MONEY.items()
        },
        "cost_unknown": sums.by_value(Measure.COST_UNKNOWN),
        "cost_without": sums.by_value(Measure.UNPRICED),
        "cost_tables": sums.by_value(Measure.COST_TABLE),
        "cost_differs": sums[Measure.COST_DIFFERS].captures,
        "cost_stated_partly": sums[Measure.COST_STATED_PARTLY].captures,
        "cost_stated_odd": sums[Measure.COST_STATED_ODD].captures,
        **{
            name: {rank: sums.percentile(name, share) for rank, share in RANKS.items()}
            for name in HISTOGRAMS
        },
    }


def usd(ticks: int) -> str:
    """Exact, without an exponent."""
    return f"{(Decimal(ticks) / TICKS).normalize():f}"


def _usd(sums: Sums, measure: Measure) -> str | None:
    """None where no capture told it."""
    total = sums.total(measure)
    return None if total is None else usd(total)


def _time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
