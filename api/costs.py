"""What captures cost as JSON: shortly in a list, with the receipt where one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from inspector.usage.money import plain
from inspector.usage.queries import ComputedCost, StoredPrice
from inspector.usage.receipts import Receipt, as_json, receipt_of

NOT_READABLE = "what is to be paid for was stored in a shape that this release cannot read"


def of_computed(cost: ComputedCost | None) -> dict[str, Any] | None:
    """As it is in the sums; None where nothing is priced yet."""
    if cost is None:
        return None
    return {**cost._asdict(), "missing": list(map(asdict, cost.missing))}


def of_price(price: StoredPrice | None, at: datetime) -> dict[str, Any] | None:
    """The receipt by the prices that held ``at`` the time of arrival, as they are known now;
    ``counted`` is how the sums have it.
    """
    if price is None:
        return None
    counted = of_computed(_counted(price))
    if price.bill is None:
        return {**UNREAD, "counted": counted}
    return {**_receipt(receipt_of(price.bill, at, price.overrides)), "counted": counted}


def _counted(price: StoredPrice) -> ComputedCost:
    return ComputedCost(price.computed_usd, price.reason, price.table, price.missing)


def _receipt(receipt: Receipt) -> dict[str, Any]:
    told = as_json(receipt)
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


UNREAD: Mapping[str, Any] = {
    "computed_usd": None,
    "missing": None,
    "reason": None,
    "why_unknown": NOT_READABLE,
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
"""In place of a receipt where there is no bill to make it of."""
