"""Costs: short in lists, with the receipt on a single capture."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

import msgspec

from inspector.archive.member_types import Count, codes
from inspector.usage.cost.money import plain
from inspector.usage.cost.receipt_lines import ReceiptLine
from inspector.usage.cost.receipts import CostReceipt, receipt_of
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

UNREADABLE_MESSAGE = "what is to be paid for was stored in a shape that this release cannot read"

Reason = Annotated[str, codes(CostUnknownReason)]
Money = str
"""Exact decimal text in USD."""


class MissingItem(msgspec.Struct, frozen=True):
    """Something billed that the computed cost does not include. `name` is the field of usage that
    counts it.
    """

    count: Count
    what: Annotated[str, codes(UnpricedKind)]
    name: str


class AggregatedCost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost as it is added to the sums of usage. `computed_usd` is null if it is unknown, for
    the `reason`; with anything `missing` it is a lower bound.
    """

    computed_usd: Money | None
    missing: tuple[MissingItem, ...]
    reason: Reason | None
    table: str


class CostLine(msgspec.Struct, frozen=True):
    """`amount_usd` is `count` × `rate_usd` / `per`, exactly."""

    what: str
    count: Count
    rate_usd: Money
    per: Count
    amount_usd: Money


class CaptureCost(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt, by the prices that applied when the capture arrived. If it cannot be made,
    `why_unknown` says so and only `as_aggregated` is filled.
    """

    computed_usd: Money | None
    missing: tuple[MissingItem, ...] | None
    reason: Reason | None
    why_unknown: str | None
    stated_usd: Money | None
    stated_at: str | None
    difference_usd: Money | None
    contradicts_stated: bool | None
    table: str | None
    provider: str | None
    model: str | None
    tier: str | None
    lines: tuple[CostLine, ...]
    notes: tuple[str, ...]
    as_aggregated: AggregatedCost


def aggregated_cost(cost: ComputedCost | None) -> AggregatedCost | None:
    """None where the capture is not priced yet."""
    return None if cost is None else _aggregated(cost)


def capture_cost(price: StoredPrice | None, at: datetime) -> CaptureCost | None:
    """The receipt by the prices that held ``at`` the time of arrival, as they are known now; None
    where the capture is not priced yet.
    """
    if price is None:
        return None
    stored = ComputedCost(price.computed_usd, price.reason, price.table, price.missing)
    if price.bill is None:
        return _unreadable(_aggregated(stored))
    return _receipt(receipt_of(price.bill, at, price.overrides), _aggregated(stored))


def _aggregated(cost: ComputedCost) -> AggregatedCost:
    return AggregatedCost(
        computed_usd=cost.computed_usd,
        missing=_missing(cost.missing),
        reason=cost.reason,
        table=cost.table,
    )


def _receipt(receipt: CostReceipt, as_aggregated: AggregatedCost) -> CaptureCost:
    return CaptureCost(
        computed_usd=plain(receipt.total_usd),
        missing=_missing(receipt.missing),
        reason=receipt.reason,
        why_unknown=receipt.why_unknown or None,
        stated_usd=plain(receipt.stated_usd),
        stated_at=receipt.stated_at,
        difference_usd=plain(receipt.difference_usd),
        contradicts_stated=receipt.is_contradicted,
        table=receipt.table,
        provider=receipt.provider or None,
        model=receipt.model or None,
        tier=receipt.tier or None,
        lines=tuple(map(_line, receipt.lines)),
        notes=receipt.notes,
        as_aggregated=as_aggregated,
    )


def _unreadable(as_aggregated: AggregatedCost) -> CaptureCost:
    """Stands for the receipt where the stored facts cannot be decoded."""
    return CaptureCost(
        computed_usd=None,
        missing=None,
        reason=None,
        why_unknown=UNREADABLE_MESSAGE,
        stated_usd=None,
        stated_at=None,
        difference_usd=None,
        contradicts_stated=None,
        table=None,
        provider=None,
        model=None,
        tier=None,
        lines=(),
        notes=(),
        as_aggregated=as_aggregated,
    )


def _line(line: ReceiptLine) -> CostLine:
    return CostLine(
        what=line.what,
        count=line.count,
        rate_usd=plain(line.rate_usd),
        per=line.per,
        amount_usd=plain(line.amount_usd),
    )


def _missing(items: Iterable[UnpricedItem]) -> tuple[MissingItem, ...]:
    return tuple(MissingItem(each.count, each.what, each.name) for each in items)
