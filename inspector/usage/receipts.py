"""The receipt of one answer: count × rate, line by line, exact, or why its cost is not known.

Pure: no database is asked, nothing is fetched, nothing is raised for what an answer says.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from inspector.core.dialects import vendor_named
from inspector.core.findings import Finding, Where
from inspector.core.rules.beyond import ODD_STATED_COST, STATED_COST_DIFFERS, Meaning
from inspector.usage.bills import Bill
from inspector.usage.kinds import Kind
from inspector.usage.missing import WITH_REQUEST, Missing
from inspector.usage.money import EXACT, MOST_DOLLARS, dollars, plain
from inspector.usage.overrides import Override
from inspector.usage.prices import Asked, Rates, rates_of, table_name
from inspector.usage.quantities import Quantities
from inspector.usage.receipt_lines import ReceiptLine, itemised
from inspector.usage.unknown import Reason, Unknown
from inspector.usage.words import quoted

COARSEST = Decimal("0.005")
"""Nobody rounds dollars to less than cents."""
NOISE = Decimal("1e-9")
"""What arithmetic with floats leaves of an amount, relative to it."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """``total_usd`` is None where ``why_unknown`` says something, which ``reason`` is the kind of.
    ``table`` is whose rates these are, with its version; ``provider`` and ``model`` are its names
    for them where it has any.
    """

    total_usd: Decimal | None
    lines: tuple[ReceiptLine, ...]
    table: str
    provider: str
    model: str
    tier: str
    """As the answer stated it; empty where it stated none."""
    stated_usd: Decimal | None
    why_unknown: str
    notes: tuple[str, ...]
    stated_at: str | None = None
    """JSON Pointer of the stated cost in the completion, of the first where several are added."""
    odd_stated: str = ""
    """Why what is stated is no amount that can be added; empty where it is one, or none is."""
    reason: Reason | None = None
    missing: tuple[Missing, ...] = ()
    """What is billed and not in a total that is known: then it is the least that was paid."""

    @property
    def is_lower_bound(self) -> bool:
        return bool(self.missing)

    @property
    def difference_usd(self) -> Decimal | None:
        """By how much the stated cost is above the computed one; None where one is not known."""
        if self.stated_usd is None or self.total_usd is None:
            return None
        return EXACT.subtract(self.stated_usd, self.total_usd)

    @property
    def is_contradicted(self) -> bool:
        """Whether stated and computed cost differ by more than rounding can make them. Of a lower
        bound nothing is too far above it.
        """
        difference = self.difference_usd
        if difference is None or self.stated_usd is None or self.total_usd is None:
            return False
        if self.is_lower_bound and difference > 0:
            return False
        return abs(difference) > _rounding(self.stated_usd, self.total_usd)


def receipt_of(bill: Bill, at: datetime, overrides: Sequence[Override] = ()) -> Receipt:
    """``at``, with its time zone, decides which prices hold: when the answer was received."""
    blank = _blank(bill)
    if isinstance(bill.quantities, Unknown):
        return _unknown(blank, bill.quantities)
    notes = (*_asked(bill), *bill.quantities.notes)
    rates = _rates(bill, at, bill.quantities, overrides)
    if isinstance(rates, Unknown):
        return _unknown(blank, rates, *notes)
    notes = (*notes, *rates.notes)
    found = replace(blank, table=rates.table, provider=rates.provider, model=rates.model)
    items = itemised(bill.quantities, rates)
    if isinstance(items, Unknown):
        return _unknown(found, items, *notes)
    if items.total_usd > MOST_DOLLARS:
        why = f"{dollars(items.total_usd)} are more than any response costs"
        return _unknown(found, Unknown(Reason.TOO_LARGE, why), *notes)
    missing, unlisted = _unlisted(bill.quantities, rates)
    all_notes = (*notes, *items.notes, *unlisted, *blank.notes)
    return replace(
        found, total_usd=items.total_usd, lines=items.lines, notes=all_notes, missing=missing
    )


def findings_of(receipt: Receipt) -> tuple[Finding, ...]:
    """What is to be said of stated and computed cost; nothing where they agree."""
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


def _finding(meaning: Meaning, message: str, where: Where) -> Finding:
    return Finding(code=meaning.code, severity=meaning.severity, message=message, where=where)


def as_json(receipt: Receipt) -> dict[str, Any]:
    """With amounts and rates as decimal text."""
    return asdict(receipt, dict_factory=_texts)


def _texts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: plain(value) if isinstance(value, Decimal) else value for name, value in fields}


def _blank(bill: Bill) -> Receipt:
    """What is known before anything is priced."""
    return Receipt(
        total_usd=None,
        lines=(),
        table=table_name(),
        provider="",
        model=bill.model,
        tier=bill.told_tier,
        stated_usd=bill.stated.usd,
        why_unknown="",
        notes=(bill.stated.note,) if bill.stated.note else (),
        stated_at=bill.stated.pointer,
        odd_stated=bill.stated.note if bill.stated.is_odd else "",
    )


def _unknown(found: Receipt, unknown: Unknown, *notes: str) -> Receipt:
    return replace(
        found, why_unknown=unknown.why, reason=unknown.reason, notes=(*notes, *found.notes)
    )


def _rates(
    bill: Bill, at: datetime, quantities: Quantities, overrides: Sequence[Override]
) -> Rates | Unknown:
    if not bill.model:
        return Unknown(Reason.NO_MODEL, "no model is named")
    fault = _tier_fault(bill)
    asked = Asked(
        vendor=vendor_named(bill.vendor),
        model=bill.model,
        tier=None if fault else bill.tier,
        at=at,
        prompt_tokens=quantities.size(Kind.PROMPT),
        tier_fault=fault,
    )
    return rates_of(asked, overrides)


def _tier_fault(bill: Bill) -> str:
    """Why the tier that was used cannot be told; empty where it can."""
    if bill.is_doubted_tier:
        both = f"{quoted(bill.tier)} beside the choices and {quoted(bill.other_tiers[-1])} in usage"
        return f"the service tier is stated as {both}"
    return "the service tier is no text" if bill.is_odd_tier else ""


def _unlisted(quantities: Quantities, rates: Rates) -> tuple[tuple[Missing, ...], tuple[str, ...]]:
    """What is on no line and is not paid for, and notes of all that is on no line."""
    # What a team's own rate of a request is for, nobody told.
    is_paid = Kind.REQUEST in rates.by_kind and not rates.is_own
    with_request = WITH_REQUEST if is_paid else frozenset()
    missing = tuple(each for each in quantities.missing if each.name not in with_request)
    notes = (each.note if each in missing else each.paid_note for each in quantities.missing)
    return missing, tuple(notes)


def _asked(bill: Bill) -> Iterator[str]:
    if bill.is_as_asked:
        yield "the answer names no model: priced as the one that was asked for"
    if bill.other_tiers and not bill.is_doubted_tier:
        others = " and ".join(map(quoted, bill.other_tiers))
        used = quoted(bill.tier)
        yield f"service tier {others} was stated, too: {used} is the last that is named"


def _rounding(stated: Decimal, computed: Decimal) -> Decimal:
    """How far the two may lie apart: one unit in the last place of what was stated."""
    noise = EXACT.multiply(computed, NOISE)
    if not stated:
        return noise
    exponent = stated.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else noise
    return max(min(unit, COARSEST), noise)
