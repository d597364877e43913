"""Costs: short in lists, with the receipt on a single capture."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec

from inspector.archive.member_types import Count, codes
from inspector.core.same_fields import struct_of
from inspector.usage.cost.money import plain
from inspector.usage.cost.notes import CostNote, CostNoteCode, NoteValue, SentValue, note
from inspector.usage.cost.receipt_lines import ReceiptLine
from inspector.usage.cost.receipts import CostReceipt, receipt_of
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknownReason
from inspector.usage.cost.unpriced import UnpricedItem, UnpricedKind
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

Reason = Annotated[str, codes(CostUnknownReason)]
Kind = Annotated[str, codes(TokenKind)]
Money = str
"""Exact decimal text in USD."""


class UnpricedItemBody(msgspec.Struct, frozen=True):
    """Something billed that the computed cost does not include. `field` is the field of usage that
    counts it.
    """

    count: Count
    kind: Annotated[str, codes(UnpricedKind)]
    field: str


class CostNoteBody(msgspec.Struct, frozen=True):
    """A note on a cost: a code, and the values that belong to it."""

    code: Annotated[str, codes(CostNoteCode)]
    values: dict[str, NoteValue]


class AggregatedCost(msgspec.Struct, frozen=True, kw_only=True):
    """The cost as it is added to the sums of usage. `computed_usd` is null if it is unknown, for
    the `reason`; with any `unpriced_items` it is a lower bound.
    """

    computed_usd: Money | None
    unpriced_items: tuple[UnpricedItemBody, ...]
    reason: Reason | None
    table: str


class CostLine(msgspec.Struct, frozen=True, kw_only=True):
    """`amount_usd` is `count` × `rate_usd` / `per`, exactly. The kinds in `without` are part of
    this kind, have lines of their own and are not in `count`; `outside` is the whole that this part
    was counted outside of.
    """

    kind: Kind
    count: Count
    rate_usd: Money
    per: Count
    amount_usd: Money
    without: tuple[Kind, ...]
    outside: Kind | None


class CaptureCost(msgspec.Struct, frozen=True, kw_only=True):
    """The receipt, by the prices that applied when the capture arrived. `detail` says more about
    the `reason`, `notes` what was assumed. `service_tiers` has two where either may apply. If the
    receipt cannot be made, `detail` is `facts_not_decoded` and only `as_aggregated` is filled.
    """

    computed_usd: Money | None
    unpriced_items: tuple[UnpricedItemBody, ...] | None
    reason: Reason | None
    detail: CostNoteBody | None
    stated_usd: Money | None
    stated_at: str | None
    difference_usd: Money | None
    contradicts_stated: bool | None
    table: str | None
    provider: str | None
    model: str | None
    service_tiers: tuple[str | SentValue, ...]
    lines: tuple[CostLine, ...]
    notes: tuple[CostNoteBody, ...]
    as_aggregated: AggregatedCost


def aggregated_cost(cost: ComputedCost | None) -> AggregatedCost | None:
    """Return None if the capture is not priced yet."""
    return None if cost is None else _aggregated(cost)


def capture_cost(price: StoredPrice | None, at: datetime) -> CaptureCost | None:
    """Return the receipt by the prices that held ``at`` the time of arrival, as they are known now;
    None where the capture is not priced yet.
    """
    if price is None:
        return None
    stored = ComputedCost(price.computed_usd, price.reason, price.table, price.unpriced_items)
    if price.billable is None:
        return _unreadable(_aggregated(stored))
    return _receipt(receipt_of(price.billable, at, price.overrides), _aggregated(stored))


def _aggregated(cost: ComputedCost) -> AggregatedCost:
    return struct_of(AggregatedCost, cost, unpriced_items=_unpriced(cost.unpriced_items))


def _receipt(receipt: CostReceipt, as_aggregated: AggregatedCost) -> CaptureCost:
    return struct_of(
        CaptureCost,
        receipt,
        computed_usd=plain(receipt.total_usd),
        unpriced_items=_unpriced(receipt.unpriced_items),
        detail=_note(receipt.detail) if receipt.detail else None,
        stated_usd=plain(receipt.stated_usd),
        difference_usd=plain(receipt.difference_usd),
        contradicts_stated=receipt.is_contradicted,
        provider=receipt.provider or None,
        model=receipt.model or None,
        service_tiers=receipt.tiers,
        lines=tuple(map(_line, receipt.lines)),
        notes=tuple(map(_note, receipt.notes)),
        as_aggregated=as_aggregated,
    )


def _unreadable(as_aggregated: AggregatedCost) -> CaptureCost:
    """Stands for the receipt where the stored facts cannot be decoded."""
    known: dict[str, Any] = {
        "detail": _note(note(CostNoteCode.FACTS_NOT_DECODED)),
        "service_tiers": (),
        "lines": (),
        "notes": (),
        "as_aggregated": as_aggregated,
    }
    return CaptureCost(**{**dict.fromkeys(CaptureCost.__struct_fields__), **known})


def _line(line: ReceiptLine) -> CostLine:
    rate, amount = plain(line.rate_usd), plain(line.amount_usd)
    return struct_of(CostLine, line, rate_usd=rate, amount_usd=amount)


def _note(stored: CostNote) -> CostNoteBody:
    return CostNoteBody(stored.code, dict(stored.values))


def _unpriced(items: Iterable[UnpricedItem]) -> tuple[UnpricedItemBody, ...]:
    return tuple(struct_of(UnpricedItemBody, each) for each in items)
