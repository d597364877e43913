"""The receipt of one response: count × rate line by line in exact arithmetic, or the reason why its
cost is unknown. Pure; raises nothing, whatever a response states.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from inspector.core.findings import Finding, Where
from inspector.core.rules.added_findings import ODD_STATED_COST, STATED_COST_DIFFERS, FindingType
from inspector.core.vendors import vendor_named
from inspector.usage.cost.billable import Billable, StatedTier
from inspector.usage.cost.money import EXACT, MAX_DOLLARS, dollars, plain
from inspector.usage.cost.notes import CostNote, CostNoteCode, SentValue, note
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.prices import PriceQuery, Rates, rates_of, table_name
from inspector.usage.cost.quantities import Quantities
from inspector.usage.cost.receipt_lines import ReceiptLine, itemise
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.cost.unknown import CostUnknown, CostUnknownReason, unknown_cost
from inspector.usage.cost.unpriced import SEARCH_FIELD, WITH_REQUEST, UnpricedItem, UnpricedKind

COARSEST_ROUNDING = Decimal("0.005")
"""Nobody rounds dollars to less than cents."""
FLOAT_NOISE = Decimal("1e-9")
"""Relative error that float arithmetic may leave in a stated amount."""


@dataclass(frozen=True, slots=True)
class CostReceipt:
    """Line by line cost of one response. ``total_usd`` is None where the cost is unknown:
    ``reason`` is the code that sums count, ``detail`` says more, if there is more. ``table`` names
    the source of the rates with its version; ``provider`` and ``model`` are the names used there,
    if any.
    """

    total_usd: Decimal | None
    lines: tuple[ReceiptLine, ...]
    table: str
    provider: str
    model: str
    tiers: tuple[StatedTier, ...]
    """The service tier as stated; two where either may apply, none where none is stated."""
    stated_usd: Decimal | None
    notes: tuple[CostNote, ...]
    reason: CostUnknownReason | None = None
    detail: CostNote | None = None
    stated_at: str | None = None
    """JSON Pointer of the stated cost in the completion, of the first where several are added."""
    odd_stated: CostNote | None = None
    """Why what is stated is no amount that can be added; None where it is one, or none is."""
    unpriced_items: tuple[UnpricedItem, ...] = ()
    """Billed items that the total does not include: with any of them it is a lower bound."""

    @property
    def is_lower_bound(self) -> bool:
        return bool(self.unpriced_items)

    @property
    def difference_usd(self) -> Decimal | None:
        """Stated minus computed cost; None where either is unknown."""
        if self.stated_usd is None or self.total_usd is None:
            return None
        return EXACT.subtract(self.stated_usd, self.total_usd)

    @property
    def is_contradicted(self) -> bool:
        """True if stated and computed cost differ beyond rounding; not above a lower bound."""
        difference = self.difference_usd
        if difference is None or self.stated_usd is None or self.total_usd is None:
            return False
        if self.is_lower_bound and difference > 0:
            return False
        return abs(difference) > _tolerance(self.stated_usd, self.total_usd)


def receipt_of(billable: Billable, at: datetime, overrides: Sequence[Override] = ()) -> CostReceipt:
    """``at``, with its time zone, decides which prices hold: when the answer was received."""
    blank = _blank_receipt(billable)
    if isinstance(billable.quantities, CostUnknown):
        return _unknown_receipt(blank, billable.quantities)
    notes = (*_assumption_notes(billable), *billable.quantities.notes)
    rates = _rates(billable, at, billable.quantities, overrides)
    if isinstance(rates, CostUnknown):
        return _unknown_receipt(blank, rates, *notes)
    notes = (*notes, *rates.notes)
    found = replace(blank, table=rates.table, provider=rates.provider, model=rates.model)
    items = itemise(billable.quantities, rates)
    if isinstance(items, CostUnknown):
        return _unknown_receipt(found, items, *notes)
    if items.total_usd > MAX_DOLLARS:
        code, usd = CostNoteCode.COST_TOO_LARGE, plain(items.total_usd)
        too_large = unknown_cost(CostUnknownReason.TOO_LARGE, code, usd=usd)
        return _unknown_receipt(found, too_large, *notes)
    unpriced, unpriced_notes = _unpriced_items(billable.quantities, rates)
    return replace(
        found,
        total_usd=items.total_usd,
        lines=items.lines,
        notes=(*notes, *items.notes, *unpriced_notes, *blank.notes),
        unpriced_items=unpriced,
    )


def cost_findings(receipt: CostReceipt) -> tuple[Finding, ...]:
    """Return findings about an invalid stated cost, or one that contradicts the computed cost."""
    where = Where(pointer=receipt.stated_at)
    if receipt.odd_stated is not None:
        message = f"{_odd_message(receipt.odd_stated)}; it is in no sum."
        return (_finding(ODD_STATED_COST, message, where),)
    if not receipt.is_contradicted:
        return ()
    stated, computed = dollars(receipt.stated_usd), dollars(receipt.total_usd)
    is_least = "at least " if receipt.is_lower_bound else ""
    by_table = f"by {receipt.table} it is {is_least}{computed}"
    message = f"The answer states a cost of {stated}; {by_table}."
    return (_finding(STATED_COST_DIFFERS, message, where),)


def _odd_message(odd: CostNote) -> str:
    values = odd.values
    stated, sent, usd = f"The stated {values['field']}", values.get("sent"), values.get("usd")
    if isinstance(usd, str):
        return f"{stated} of {dollars(Decimal(usd))} is not what a response can cost"
    if isinstance(sent, SentValue):
        return f"{stated} is not an amount ({sent.type})"
    return f"{stated} is not an amount that can be added up"


def _finding(meaning: FindingType, message: str, where: Where) -> Finding:
    return Finding(code=meaning.code, severity=meaning.severity, message=message, where=where)


def receipt_as_json(receipt: CostReceipt) -> dict[str, Any]:
    """Return the receipt as JSON, with amounts and rates as decimal text."""
    return asdict(receipt, dict_factory=_texts)


def _texts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: plain(value) if isinstance(value, Decimal) else value for name, value in fields}


def _blank_receipt(billable: Billable) -> CostReceipt:
    stated = billable.stated
    return CostReceipt(
        total_usd=None,
        lines=(),
        table=table_name(),
        provider="",
        model=billable.model,
        tiers=billable.possible_tiers,
        stated_usd=stated.usd,
        notes=(stated.note,) if stated.note else (),
        stated_at=stated.pointer,
        odd_stated=stated.note if stated.is_odd else None,
    )


def _unknown_receipt(found: CostReceipt, unknown: CostUnknown, *notes: CostNote) -> CostReceipt:
    return replace(
        found, reason=unknown.reason, detail=unknown.detail, notes=(*notes, *found.notes)
    )


def _rates(
    billable: Billable, at: datetime, quantities: Quantities, overrides: Sequence[Override]
) -> Rates | CostUnknown:
    if not billable.model:
        return CostUnknown(CostUnknownReason.NO_MODEL)
    fault = _tier_fault(billable)
    query = PriceQuery(
        vendor=vendor_named(billable.vendor),
        model=billable.model,
        tier=billable.tier if fault is None and isinstance(billable.tier, str) else None,
        at=at,
        prompt_tokens=quantities.size(TokenKind.PROMPT),
        tier_fault=fault,
    )
    return rates_of(query, overrides)


def _tier_fault(billable: Billable) -> CostNote | None:
    """Return the reason why the service tier is unknown; None where it is known."""
    if billable.is_ambiguous_tier:
        return note(CostNoteCode.TIERS_CONTRADICT, tiers=billable.possible_tiers)
    if isinstance(billable.tier, SentValue):
        return note(CostNoteCode.TIER_NOT_A_STRING, sent=billable.tier)
    return None


def _unpriced_items(
    quantities: Quantities, rates: Rates
) -> tuple[tuple[UnpricedItem, ...], tuple[CostNote, ...]]:
    """Split off the billed items that no line covers, with a note on each item without a line.

    Items that the table's price of a request includes are priced.
    """
    # A team's own rate per request does not say what it includes.
    is_paid = TokenKind.REQUEST in rates.by_kind and not rates.is_own
    with_request = WITH_REQUEST if is_paid else frozenset()
    unpriced = (*quantities.unpriced, *_searches(quantities, rates))
    notes = tuple(
        note(
            CostNoteCode.PAID_WITH_REQUEST if each.field in with_request else CostNoteCode.EXCLUDED,
            count=each.count,
            field=each.field,
        )
        for each in unpriced
    )
    return tuple(each for each in unpriced if each.field not in with_request), notes


def _searches(quantities: Quantities, rates: Rates) -> Iterator[UnpricedItem]:
    count = quantities.counts.get(TokenKind.SEARCH)
    if count and TokenKind.SEARCH not in rates.by_kind:
        yield UnpricedItem(count, UnpricedKind.SEARCHES, SEARCH_FIELD)


def _assumption_notes(billable: Billable) -> Iterator[CostNote]:
    if billable.is_request_model:
        yield note(CostNoteCode.MODEL_OF_REQUEST)
    if billable.other_tiers and not billable.is_ambiguous_tier:
        tiers = billable.other_tiers
        yield note(CostNoteCode.LAST_TIER_TAKEN, tiers=tiers, tier=billable.tier)


def _tolerance(stated: Decimal, computed: Decimal) -> Decimal:
    # One unit in the last place of the stated amount, at least the noise of floats.
    noise = EXACT.multiply(computed, FLOAT_NOISE)
    if not stated:
        return noise
    exponent = stated.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else noise
    return max(min(unit, COARSEST_ROUNDING), noise)
