"""Wording for cost codes: why a cost is unknown, and which billed items it excludes.

A code stored by a later release is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.usage.cost.capture_filters import CostState
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind

REASONS: Mapping[str, str] = {
    CostUnknownReason.NO_USAGE: "usage not sent",
    CostUnknownReason.NOT_READ: "usage not parsed",
    CostUnknownReason.NO_COUNT: "a count not sent",
    CostUnknownReason.ODD_COUNT: "a count that is none",
    CostUnknownReason.CONTRADICTION: "counts that contradict each other",
    CostUnknownReason.TOO_LARGE: "more than any response costs",
    CostUnknownReason.NO_MODEL: "no model named",
    CostUnknownReason.NO_VENDOR: "no prices of the vendor",
    CostUnknownReason.NO_PRICE: "no price of the model",
    CostUnknownReason.SEVERAL_MAKERS: "several makers of the model",
    CostUnknownReason.NO_TIER: "no price of the service tier",
    CostUnknownReason.NO_RATE: "no rate for a kind of tokens",
}
UNPRICED: Mapping[str, tuple[str, str]] = {
    UnpricedKind.CACHE_WRITES: ("token written to the cache", "tokens written to the cache"),
    UnpricedKind.CITATIONS: ("token of citations", "tokens of citations"),
    UnpricedKind.SEARCHES: ("search", "searches"),
    UnpricedKind.SOURCES: ("source", "sources"),
    UnpricedKind.THINKING: ("token of thinking", "tokens of thinking"),
    UnpricedKind.UNTOLD: ("token in the total alone", "tokens in the total alone"),
}
"""Singular and plural."""
STATES: Mapping[str, str] = {
    CostState.COMPUTED: "computed",
    CostState.AT_LEAST: "at least",
    CostState.UNKNOWN: "unknown",
}


def reason_words(code: str) -> str:
    return REASONS.get(code, code)


def unpriced_words(code: str, count: int = 2) -> str:
    one, several = UNPRICED.get(code, (code, code))
    return one if count == 1 else several


def missing_words(missing: Iterable[UnpricedItem]) -> str:
    """``3 searches and 12 tokens of citations``; empty if nothing is missing."""
    return " and ".join(
        f"{each.count:,} {unpriced_words(each.what, each.count)}" for each in missing
    )


def filter_words(value: str) -> str:
    """Label of a value of the ``cost`` filter."""
    return STATES.get(value) or reason_words(value)
