"""What codes of costs are called on pages: why one is unknown, what is billed and not in it.

A code that a later release stored is shown as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inspector.usage.missing import Missing, Unpriced
from inspector.usage.narrowing import CostState
from inspector.usage.unknown import Reason

REASONS: Mapping[str, str] = {
    Reason.NO_USAGE: "usage not sent",
    Reason.NOT_READ: "usage not read",
    Reason.NO_COUNT: "a count not sent",
    Reason.ODD_COUNT: "a count that is none",
    Reason.CONTRADICTION: "counts that contradict each other",
    Reason.TOO_LARGE: "more than any response costs",
    Reason.NO_MODEL: "no model named",
    Reason.NO_VENDOR: "no prices of the vendor",
    Reason.NO_PRICE: "no price of the model",
    Reason.SEVERAL_MAKERS: "several makers of the model",
    Reason.NO_TIER: "no price of the service tier",
    Reason.NO_RATE: "no rate for a kind of tokens",
}
UNPRICED: Mapping[str, tuple[str, str]] = {
    Unpriced.CACHE_WRITES: ("token written to the cache", "tokens written to the cache"),
    Unpriced.CITATIONS: ("token of citations", "tokens of citations"),
    Unpriced.SEARCHES: ("search", "searches"),
    Unpriced.SOURCES: ("source", "sources"),
    Unpriced.THINKING: ("token of thinking", "tokens of thinking"),
    Unpriced.UNTOLD: ("token in the total alone", "tokens in the total alone"),
}
"""One of it, and several."""
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


def missing_words(missing: Iterable[Missing]) -> str:
    """``3 searches and 12 tokens of citations``; empty where nothing is missing."""
    return " and ".join(
        f"{each.count:,} {unpriced_words(each.what, each.count)}" for each in missing
    )


def filter_words(value: str) -> str:
    """Of a value of the filter by ``cost``."""
    return STATES.get(value) or reason_words(value)
