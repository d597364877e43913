"""Costs as JSON: short in lists, with the receipt on a single capture."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from inspector.usage.cost.money import plain
from inspector.usage.cost.notes import CostNoteCode
from inspector.usage.cost.receipts import CostReceipt, receipt_as_json, receipt_of
from inspector.usage.rollup.queries import ComputedCost, StoredPrice


def computed_cost(cost: ComputedCost | None) -> dict[str, Any] | None:
    """The cost as it counts in the sums; None where the capture is not priced yet."""
    if cost is None:
        return None
    return {**cost._asdict(), "unpriced_items": list(map(asdict, cost.unpriced_items))}


def capture_cost(price: StoredPrice | None, at: datetime) -> dict[str, Any] | None:
    """The receipt by the prices that held ``at`` the time of arrival, as they are known now;
    ``as_aggregated`` is how the sums have it.
    """
    if price is None:
        return None
    aggregated = computed_cost(_as_aggregated(price))
    if price.billable is None:
        return {**UNREADABLE_RECEIPT, "as_aggregated": aggregated}
    receipt = receipt_of(price.billable, at, price.overrides)
    return {**_receipt(receipt), "as_aggregated": aggregated}


def _as_aggregated(price: StoredPrice) -> ComputedCost:
    return ComputedCost(price.computed_usd, price.reason, price.table, price.unpriced_items)


def _receipt(receipt: CostReceipt) -> dict[str, Any]:
    found = receipt_as_json(receipt)
    return {
        "computed_usd": found["total_usd"],
        "unpriced_items": found["unpriced_items"],
        "reason": found["reason"],
        "detail": found["detail"],
        "stated_usd": found["stated_usd"],
        "stated_at": found["stated_at"],
        "difference_usd": plain(receipt.difference_usd),
        "contradicts_stated": receipt.is_contradicted,
        "table": found["table"],
        "provider": found["provider"] or None,
        "model": found["model"] or None,
        "service_tiers": found["tiers"],
        "lines": found["lines"],
        "notes": found["notes"],
    }


# In place of the receipt where the stored facts cannot be decoded.
UNREADABLE_RECEIPT: Mapping[str, Any] = {
    "computed_usd": None,
    "unpriced_items": None,
    "reason": None,
    "detail": {"code": CostNoteCode.FACTS_NOT_DECODED, "values": {}},
    "stated_usd": None,
    "stated_at": None,
    "difference_usd": None,
    "contradicts_stated": None,
    "table": None,
    "provider": None,
    "model": None,
    "service_tiers": [],
    "lines": [],
    "notes": [],
}
