"""Pricing captures as they are inspected: the receipt of each, and the row that keeps it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from inspector.archive import added, bulk
from inspector.archive.projection import Rows
from inspector.usage import missing
from inspector.usage.bills import Bill, bill_of, packed
from inspector.usage.models import NOT_SENT, Price
from inspector.usage.money import plain
from inspector.usage.receipts import Receipt, findings_of, receipt_of
from inspector.usage.share import kind_of
from inspector.usage.team_prices import overrides_held

COST = "cost"
"""Source of the findings."""


@dataclass(frozen=True, slots=True)
class Priced:
    rows: Rows
    bill: Bill
    receipt: Receipt


def priced(afters: Sequence[Rows]) -> list[Priced]:
    """By the overrides that their teams have now, and at the time of arrival by our own clock: what
    an answer says of its time may not choose the price.
    """
    return list(_priced(afters)) if afters else []


def store(found: Sequence[Priced], known: Collection[UUID]) -> None:
    """``known``: captures that were priced before, those that are deleted now among them."""
    if known:
        Price.objects.filter(pk__in=known).delete()
    bulk.insert([_row(each) for each in found])
    findings = {each.rows.inspection.capture_id: findings_of(each.receipt) for each in found}
    added.replace(COST, findings, [id for id in known if id in findings])


def columns(receipt: Receipt) -> dict[str, Any]:
    """What is kept of a receipt."""
    return {
        "computed_usd": plain(receipt.total_usd),
        "reason": receipt.reason,
        "table": receipt.table,
        "differs": receipt.is_contradicted,
        "missing": missing.packed(receipt.missing),
    }


def _priced(afters: Sequence[Rows]) -> Iterator[Priced]:
    overrides = overrides_held({rows.inspection.team_id for rows in afters})
    for rows in afters:
        inspection = rows.inspection
        assert rows.analysis is not None, "what is stored now was read now"
        bill = bill_of(rows.analysis, inspection.request_model)
        receipt = receipt_of(bill, inspection.received_at, overrides[inspection.team_id])
        yield Priced(rows, bill, receipt)


def _row(each: Priced) -> Price:
    inspection, analysis = each.rows.inspection, each.rows.analysis
    assert analysis is not None, "what is stored now was read now"
    kind = kind_of(each.rows, analysis)
    return Price(
        capture_id=inspection.capture_id,
        team_id=inspection.team_id,
        received_at=inspection.received_at,
        bill=packed(each.bill),
        service_tier=kind.service_tier or NOT_SENT,
        fingerprint=kind.fingerprint or NOT_SENT,
        **columns(each.receipt),
    )
