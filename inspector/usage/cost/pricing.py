"""Pricing captures as they are inspected: the receipt of each, and the row that keeps it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inspector.archive.inspection import added_findings
from inspector.archive.inspection.projection import ProjectionRows
from inspector.database import bulk
from inspector.usage.cost.billable import (
    Billable,
    billable_of,
    encode_billable,
    fingerprint_name,
    tier_names,
)
from inspector.usage.cost.money import plain, ticks
from inspector.usage.cost.receipts import CostReceipt, cost_findings, receipt_of
from inspector.usage.cost.team_prices import locked_overrides_of
from inspector.usage.cost.unpriced import encode_unpriced
from inspector.usage.models import NOT_SENT, Price

COST_FINDINGS = "cost"
"""Source of the findings."""


@dataclass(frozen=True, slots=True)
class PricedCapture:
    rows: ProjectionRows
    billable: Billable
    receipt: CostReceipt


def price_captures(afters: Sequence[ProjectionRows]) -> list[PricedCapture]:
    """Prices captures by the current overrides of their teams, at the time of the call: what a
    response states of its time must not choose the price.
    """
    return list(_price_each(afters)) if afters else []


def store_prices(found: Sequence[PricedCapture], known: Collection[UUID]) -> None:
    """Store prices and what was found in them. ``known``: captures that had a price before; those
    that are not among ``found`` (deleted, or no completion by a later reading) lose both.
    """
    if known:
        Price.objects.filter(pk__in=known).delete()
    bulk.bulk_insert([_row(each) for each in found])
    findings = {each.rows.inspection.capture_id: cost_findings(each.receipt) for each in found}
    added_findings.replace_findings(COST_FINDINGS, findings, known)


def price_columns(receipt: CostReceipt) -> dict[str, Any]:
    """Return the columns of ``Price`` made from a receipt."""
    return {
        "computed_usd": plain(receipt.total_usd),
        "listed_ticks": listed_ticks(receipt),
        "reason": receipt.reason,
        "table": receipt.table,
        "contradicts_stated": receipt.is_contradicted,
        "unpriced_items": encode_unpriced(receipt.unpriced_items),
    }


def listed_ticks(receipt: CostReceipt) -> int | None:
    """Return the stated cost in ticks, else the computed one."""
    stated = ticks(receipt.stated_usd)
    return ticks(receipt.total_usd) if stated is None else stated


def _price_each(afters: Sequence[ProjectionRows]) -> Iterator[PricedCapture]:
    overrides = locked_overrides_of({rows.inspection.team_id for rows in afters})
    for rows in afters:
        inspection = rows.inspection
        assert rows.analysis is not None, "what is stored now was read now"
        billable = billable_of(rows.analysis, inspection.request_model)
        receipt = receipt_of(billable, inspection.called_at, overrides[inspection.team_id])
        yield PricedCapture(rows, billable, receipt)


def _row(each: PricedCapture) -> Price:
    inspection, analysis = each.rows.inspection, each.rows.analysis
    assert analysis is not None, "what is stored now was read now"
    tiers = tier_names(analysis)
    return Price(
        capture_id=inspection.capture_id,
        team_id=inspection.team_id,
        called_at=inspection.called_at,
        billable=encode_billable(each.billable),
        service_tier=tiers.service_tier or NOT_SENT,
        other_service_tier=tiers.other_service_tier,
        fingerprint=fingerprint_name(analysis) or NOT_SENT,
        **price_columns(each.receipt),
    )
