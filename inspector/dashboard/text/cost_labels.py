"""Labels for cost codes: kinds of tokens, why a cost is unknown, and which items it excludes.

A code stored by a later release is shown as it is.
"""

from collections.abc import Iterable, Mapping

from inspector.formatting.wire_values import join_names
from inspector.usage.cost.capture_fields import CostState
from inspector.usage.cost.overrides import DATED
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind

REASONS: Mapping[str, str] = {
    CostUnknownReason.NO_USAGE: "usage not sent",
    CostUnknownReason.NO_COUNT: "token count not sent",
    CostUnknownReason.ODD_COUNT: "invalid token count",
    CostUnknownReason.CONTRADICTION: "contradictory token counts",
    CostUnknownReason.TOO_LARGE: "implausibly large",
    CostUnknownReason.NO_MODEL: "no model named",
    CostUnknownReason.NO_VENDOR: "no prices for the vendor",
    CostUnknownReason.NO_PRICE: "no price for the model",
    CostUnknownReason.SEVERAL_MAKERS: "several makers of the model",
    CostUnknownReason.NO_TIER: "no price for the service tier",
    CostUnknownReason.NO_RATE: "no rate for a kind of token",
}
UNPRICED: Mapping[str, tuple[str, str]] = {
    UnpricedKind.CACHE_WRITES: ("cache write token", "cache write tokens"),
    UnpricedKind.CITATIONS: ("citation token", "citation tokens"),
    UnpricedKind.SEARCHES: ("search", "searches"),
    UnpricedKind.SOURCES: ("source", "sources"),
    UnpricedKind.THINKING: ("thinking token", "thinking tokens"),
    UnpricedKind.TOTAL_ONLY: (
        "token counted only in the total",
        "tokens counted only in the total",
    ),
}
"""Singular and plural."""
STATES: Mapping[str, str] = {
    CostState.COMPUTED: "computed",
    CostState.LOWER_BOUND: "lower bound",
    CostState.UNKNOWN: "unknown",
}


def table_words(table: str) -> str:
    """``your price from 2026-11-01 (gpt-4o)`` of an override; the name of a table as it is."""
    own = table.removeprefix(DATED)
    return table if own == table else f"your price from {own}"


def kind_words(kind: str) -> str:
    """``cache write`` for the token kind ``cache_write``."""
    return kind.replace("_", " ")


def reason_words(code: str) -> str:
    return REASONS.get(code, code)


def unpriced_words(code: str, count: int = 2) -> str:
    one, several = UNPRICED.get(code, (code, code))
    return one if count == 1 else several


def unpriced_items_words(items: Iterable[UnpricedItem]) -> str:
    """``3 searches and 12 citation tokens``; empty without items."""
    return join_names([f"{item.count:,} {unpriced_words(item.kind, item.count)}" for item in items])


def filter_words(value: str) -> str:
    """Label of a value of the ``cost`` filter."""
    return STATES.get(value) or reason_words(value)
