"""The receipt of one response: count × rate line by line in exact arithmetic, or the reason why its
cost is unknown. Pure; raises nothing, whatever a response states.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from inspector.core.findings import Finding, Where
from inspector.core.rules.external_findings import ODD_STATED_COST, STATED_COST_DIFFERS, FindingType
from inspector.core.vendors import vendor_named
from inspector.usage.cost.billable import Billable
from inspector.usage.cost.money import EXACT, MOST_DOLLARS, dollars, plain
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.prices import PriceQuery, Rates, rates_of, table_name
from inspector.usage.cost.quantities import Quantities
from inspector.usage.cost.quoting import quote
from inspector.usage.cost.receipt_lines import ReceiptLine, itemise
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason
from inspector.usage.cost.unpriced import WITH_REQUEST, UnpricedItem

COARSEST_ROUNDING = Decimal("0.005")
"""Nobody rounds dollars to less than cents."""
FLOAT_NOISE = Decimal("1e-9")
"""Relative error that float arithmetic may leave in a stated amount."""


@dataclass(frozen=True, slots=True)
class CostReceipt:
    """Line by line cost of one response. ``total_usd`` is None where the cost is unknown:
    ``reason`` is the code, ``why_unknown`` the sentence. ``table`` names the source of the rates
    with its version; ``provider`` and ``model`` are the names used there, if any.
    """

    total_usd: Decimal | None
    lines: tuple[ReceiptLine, ...]
    table: str
    provider: str
    model: str
    tier: str
    """As stated in the response; empty where none is stated."""
    stated_usd: Decimal | None
    why_unknown: str
    notes: tuple[str, ...]
    stated_at: str | None = None
    """JSON Pointer of the stated cost in the completion, of the first where several are added."""
    odd_stated: str = ""
    """Why what is stated is no amount that can be added; empty where it is one, or none is."""
    reason: CostUnknownReason | None = None
    missing: tuple[UnpricedItem, ...] = ()
    """Billed items that the total does not include: with any of them it is a lower bound."""

    @property
    def is_lower_bound(self) -> bool:
        return bool(self.missing)

    @property
    def difference_usd(self) -> Decimal | None:
        """Stated minus computed cost; None where either is unknown."""
        if self.stated_usd is None or self.total_usd is None:
            return None
        return EXACT.subtract(self.stated_usd, self.total_usd)

    @property
    def is_contradicted(self) -> bool:
        """Tells whether stated and computed cost differ by more than rounding explains. A stated
        cost above a lower bound is no contradiction.
        """
        difference = self.difference_usd
        if difference is None or self.stated_usd is None or self.total_usd is None:
            return False
        if self.is_lower_bound and difference > 0:
            return False
        return abs(difference) > _tolerance(self.stated_usd, self.total_usd)


def receipt_of(bill: Billable, at: datetime, overrides: Sequence[Override] = ()) -> CostReceipt:
    """``at``, with its time zone, decides which prices hold: when the answer was received."""
    blank = _unpriced_receipt(bill)
    if isinstance(bill.quantities, CostUnknown):
        return _unknown_receipt(blank, bill.quantities)
    notes = (*_assumption_notes(bill), *bill.quantities.notes)
    rates = _rates(bill, at, bill.quantities, overrides)
    if isinstance(rates, CostUnknown):
        return _unknown_receipt(blank, rates, *notes)
    notes = (*notes, *rates.notes)
    found = replace(blank, table=rates.table, provider=rates.provider, model=rates.model)
    items = itemise(bill.quantities, rates)
    if isinstance(items, CostUnknown):
        return _unknown_receipt(found, items, *notes)
    if items.total_usd > MOST_DOLLARS:
        why = f"{dollars(items.total_usd)} are more than any response costs"
        return _unknown_receipt(found, CostUnknown(CostUnknownReason.TOO_LARGE, why), *notes)
    missing, unlisted = _unpriced_items(bill.quantities, rates)
    all_notes = (*notes, *items.notes, *unlisted, *blank.notes)
    return replace(
        found, total_usd=items.total_usd, lines=items.lines, notes=all_notes, missing=missing
    )


def cost_findings(receipt: CostReceipt) -> tuple[Finding, ...]:
    """Findings about an invalid stated cost, or one that contradicts the computed cost."""
    where = Where(pointer=receipt.stated_at)
    if receipt.odd_stated:
        message = f"The stated cost is in no sum: {receipt.odd_stated}."
        return (_finding(ODD_STATED_COST, message, where),)
    if not receipt.is_contradicted:
        return ()
    stated, computed = dollars(receipt.stated_usd), dollars(receipt.total_usd)
    is_least = "at least " if receipt.is_lower_bound else ""
    by_table = f"by {receipt.table} it is {is_least}{computed}"
    message = f"The answer states a cost of {stated}; {by_table}."
    return (_finding(STATED_COST_DIFFERS, message, where),)


def _finding(meaning: FindingType, message: str, where: Where) -> Finding:
    return Finding(code=meaning.code, severity=meaning.severity, message=message, where=where)


def receipt_as_json(receipt: CostReceipt) -> dict[str, Any]:
    """The receipt as JSON, with amounts and rates as decimal text."""
    return asdict(receipt, dict_factory=_texts)


def _texts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: plain(value) if isinstance(value, Decimal) else value for name, value in fields}


def _unpriced_receipt(bill: Billable) -> CostReceipt:
    return CostReceipt(
        total_usd=None,
        lines=(),
        table=table_name(),
        provider="",
        model=bill.model,
        tier=bill.tier_label,
        stated_usd=bill.stated.usd,
        why_unknown="",
        notes=(bill.stated.note,) if bill.stated.note else (),
        stated_at=bill.stated.pointer,
        odd_stated=bill.stated.note if bill.stated.is_odd else "",
    )


def _unknown_receipt(found: CostReceipt, unknown: CostUnknown, *notes: str) -> CostReceipt:
    return replace(
        found, why_unknown=unknown.why, reason=unknown.reason, notes=(*notes, *found.notes)
    )


def _rates(
    bill: Billable, at: datetime, quantities: Quantities, overrides: Sequence[Override]
) -> Rates | CostUnknown:
    if not bill.model:
        return CostUnknown(CostUnknownReason.NO_MODEL, "no model is named")
    fault = _tier_fault(bill)
    asked = PriceQuery(
        vendor=vendor_named(bill.vendor),
        model=bill.model,
        tier=None if fault else bill.tier,
        at=at,
        prompt_tokens=quantities.size(TokenKind.PROMPT),
        tier_fault=fault,
    )
    return rates_of(asked, overrides)


def _tier_fault(bill: Billable) -> str:
    """The reason why the service tier is unknown, as a clause; empty where it is known."""
    if bill.is_ambiguous_tier:
        both = f"{quote(bill.tier)} beside the choices and {quote(bill.other_tiers[-1])} in usage"
        return f"the service tier is stated as {both}"
    return "the service tier is no text" if bill.is_odd_tier else ""


def _unpriced_items(
    quantities: Quantities, rates: Rates
) -> tuple[tuple[UnpricedItem, ...], tuple[str, ...]]:
    """Splits off the billed items that no line covers, with a note on each item without a line.

    Items that the table's price of a request includes are not missing.
    """
    # A team's own rate per request does not say what it includes.
    is_paid = TokenKind.REQUEST in rates.by_kind and not rates.is_own
    with_request = WITH_REQUEST if is_paid else frozenset()
    missing = tuple(each for each in quantities.missing if each.name not in with_request)
    notes = (each.note if each in missing else each.paid_note for each in quantities.missing)
    return missing, tuple(notes)


def _assumption_notes(bill: Billable) -> Iterator[str]:
    if bill.is_request_model:
        yield "the answer names no model: priced as the one that was asked for"
    if bill.other_tiers and not bill.is_ambiguous_tier:
        others = " and ".join(map(quote, bill.other_tiers))
        used = quote(bill.tier)
        yield f"service tier {others} was stated, too: {used} is the last that is named"


def _tolerance(stated: Decimal, computed: Decimal) -> Decimal:
    # One unit in the last place of the stated amount, at least the noise of floats.
    noise = EXACT.multiply(computed, FLOAT_NOISE)
    if not stated:
        return noise
    exponent = stated.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else noise
    return max(min(unit, COARSEST_ROUNDING), noise)
