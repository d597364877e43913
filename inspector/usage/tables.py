"""Groups as rows for other programs: a value that nobody told is empty, which is not 0."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import Any

from inspector.usage.queries import Group, Sums
from inspector.usage.share import (
    CAPTURES,
    FINISH,
    HISTOGRAMS,
    PICODOLLARS,
    REPORTED,
    STATED_COST,
    STREAMED,
    TOKENS,
    VERDICT,
)

RANKS = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
COLUMNS = (
    *("captures", "streamed", "usage_reported"),
    *(column for name in TOKENS for column in (name, f"{name}_captures")),
    *("stated_usd", "stated_usd_captures"),
    *(f"{name}_{rank}" for name in HISTOGRAMS for rank in RANKS),
)
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would take for a formula, if a model were called so."""


def rows_of(groups: Iterable[Group]) -> Iterator[list[Any]]:
    for group in groups:
        value = group.value or ""
        yield [f"'{value}" if value.startswith(DANGEROUS) else value, *cells(group.sums)]


def cells(sums: Sums) -> list[Any]:
    stated = sums[STATED_COST]
    tokens = (cell for name in TOKENS for cell in (sums.total(name), sums[name].captures))
    return [
        *(sums[name].captures for name in (CAPTURES, STREAMED, REPORTED)),
        *tokens,
        usd(stated.total) if stated.captures else None,
        stated.captures,
        *(sums.percentile(name, rank) for name in HISTOGRAMS for rank in RANKS.values()),
    ]


def as_json(group: Group) -> dict[str, Any]:
    """Each count beside the number of captures that told it."""
    sums = group.sums
    stated = sums[STATED_COST]
    return {
        "value": group.value,
        "captures": sums[CAPTURES].captures,
        "streamed": sums[STREAMED].captures,
        "verdicts": sums.under(VERDICT),
        "finish_reasons": sums.under(FINISH),
        "usage_reported": sums[REPORTED].captures,
        "tokens": {
            name: {"sum": sums[name].total, "captures": sums[name].captures}
            for name in TOKENS
            if sums[name].captures
        },
        "stated_usd": {
            "sum": usd(stated.total) if stated.captures else None,
            "captures": stated.captures,
        },
        **{
            name: {rank: sums.percentile(name, share) for rank, share in RANKS.items()}
            for name in HISTOGRAMS
        },
    }


def usd(picodollars: int) -> str:
    """Exact, without an exponent."""
    return f"{(Decimal(picodollars) / PICODOLLARS).normalize():f}"
