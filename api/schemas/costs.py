"""Costs as JSON: short in lists, with the receipt on a single capture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from inspector.usage.cost.money import plain
from inspector.usage.cost.receipts import CostReceipt, receipt_as_json, receipt_of
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

UNREADABLE_MESSAGE = "what is to be paid for was stored in a shape that this release cannot read"


def computed_cost(cost: ComputedCost | None) -> dict[str, Any] | None:
    """The cost as it counts in the sums; None where the capture is not priced yet."""
    if cost is None:
        return None
    return {**cost._asdict(), "missing": list(map(asdict, cost.missing))}


def capture_cost(price: StoredPrice | None, at: datetime) -> dict[str, Any] | None:
    """The receipt by the prices that held ``at`` the time of arrival, as they are known now;
    ``counted`` is how the sums have it.
    """
    if price is None:
        return None
    counted = computed_cost(_as_aggregated(price))
    if price.bill is None:
        return {**UNREADABLE_RECEIPT, "counted": counted}
    return {**_receipt(receipt_of(price.bill, at, price.overrides)), "counted": counted}


def _as_aggregated(price: StoredPrice) -> ComputedCost:
    return ComputedCost(price.computed_usd, price.reason, price.table, price.missing)


def _receipt(receipt: CostReceipt) -> dict[str, Any]:
    told = receipt_as_json(receipt)
    return {
        "computed_usd": told["total_usd"],
        "missing": told["missing"],
        "reason": told["reason"],
        "why_unknown": told["why_unknown"] or None,
        "stated_usd": told["stated_usd"],
        "stated_at": told["stated_at"],
        "difference_usd": plain(receipt.difference_usd),
        "differs": receipt.is_contradicted,
        "table": told["table"],
        "provider": told["provider"] or None,
        "model": told["model"] or None,
        "tier": told["tier"] or None,
        "lines": told["lines"],
        "notes": told["notes"],
    }


# In place of the receipt where the stored facts cannot be decoded.
UNREADABLE_RECEIPT: Mapping[str, Any] = {
    "computed_usd": None,
    "missing": None,
    "reason": None,
    "why_unknown": UNREADABLE_MESSAGE,
    "stated_usd": None,
    "stated_at": None,
    "difference_usd": None,
    "differs": None,
    "table": None,
    "provider": None,
    "model": None,
    "tier": None,
    "lines": [],
    "notes": [],
}
