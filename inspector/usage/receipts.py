"""The receipt of one answer: count × rate, line by line, exact, or why its cost is not known.

Pure: no database is asked, nothing is fetched, nothing is raised for what an answer says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Json
from inspector.core.dialects import vendor_named
from inspector.core.findings import Finding, Severity, Where
from inspector.usage.kinds import Kind
from inspector.usage.overrides import Override
from inspector.usage.prices import Asked, Rates, rates_of, table_name
from inspector.usage.quantities import Quantities, quantities_of
from inspector.usage.receipt_lines import EXACT, ReceiptLine, itemised
from inspector.usage.stated import stated_of
from inspector.usage.words import said

COARSEST = Decimal("0.005")
"""Nobody rounds dollars to less than cents."""
NOISE = Decimal("1e-9")
"""What arithmetic with floats leaves of an amount, relative to it."""


@dataclass(frozen=True, slots=True)
class Receipt:
    """``total_usd`` is None where ``why_unknown`` says something. ``table`` is whose rates these
    are, with its version; ``provider`` and ``model`` are its names for them where it has any.
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

    @property
    def difference_usd(self) -> Decimal | None:
        """By how much the stated cost is above the computed one; None where one is not known."""
        if self.stated_usd is None or self.total_usd is None:
            return None
        return EXACT.subtract(self.stated_usd, self.total_usd)

    @property
    def is_contradicted(self) -> bool:
        """Whether stated and computed cost differ by more than rounding can make them."""
        if self.stated_usd is None or self.total_usd is None:
            return False
        difference = EXACT.subtract(self.stated_usd, self.total_usd)
        return abs(difference) > _rounding(self.stated_usd, self.total_usd)


def receipt_of(
    analysis: Analysis,
    at: datetime,
    *,
    request_model: str | None,
    overrides: Sequence[Override] = (),
) -> Receipt:
    """``at``, with its time zone: when the request was sent, else when the answer was received."""
    blank = _blank(analysis, analysis.model or request_model or "")
    quantities = quantities_of(analysis)
    if isinstance(quantities, str):
        return replace(blank, why_unknown=quantities)
    notes = (*_asked(analysis, request_model), *quantities.notes)
    rates = _rates(analysis, at, blank.model, quantities, overrides)
    if isinstance(rates, str):
        return replace(blank, why_unknown=rates, notes=(*notes, *blank.notes))
    found = replace(blank, table=rates.table, provider=rates.provider, model=rates.model)
    items = itemised(quantities, rates)
    if isinstance(items, str):
        return replace(found, why_unknown=items, notes=(*notes, *rates.notes, *blank.notes))
    all_notes = (*notes, *rates.notes, *items.notes, *blank.notes)
    return replace(found, total_usd=items.total_usd, lines=items.lines, notes=all_notes)


def findings_of(receipt: Receipt) -> tuple[Finding, ...]:
    """What is to be said of stated and computed cost; nothing where they agree."""
    if not receipt.is_contradicted:
        return ()
    stated, computed = dollars(receipt.stated_usd), dollars(receipt.total_usd)
    message = f"The answer states a cost of {stated}; by {receipt.table} it is {computed}."
    where = Where(pointer=receipt.stated_at)
    return (
        Finding(code="cost.stated-differs", severity=Severity.INFO, message=message, where=where),
    )


def tier_of(analysis: Analysis) -> Json:
    """The service tier that was used, as it stands beside the choices or inside usage."""
    completion = analysis.completion
    sent = completion.get("service_tier", UNSET) if isinstance(completion, dict) else UNSET
    return analysis.usage.extras.get("/service_tier", UNSET) if sent in (UNSET, None) else sent


def as_json(receipt: Receipt) -> dict[str, Any]:
    """With amounts and rates as decimal text."""
    return asdict(receipt, dict_factory=_texts)


def plain(amount: Decimal | None) -> str | None:
    """Without exponent, and without zeros at the end."""
    if amount is None:
        return None
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: Decimal | None) -> str:
    text = plain(amount)
    if text is None:
        return "unknown"
    return f"-${text[1:]}" if text.startswith("-") else f"${text}"


def _texts(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: plain(value) if isinstance(value, Decimal) else value for name, value in fields}


def _blank(analysis: Analysis, model: str) -> Receipt:
    """What is known before anything is priced."""
    stated, tier = stated_of(analysis), tier_of(analysis)
    return Receipt(
        total_usd=None,
        lines=(),
        table=table_name(),
        provider="",
        model=model,
        tier="" if tier in (UNSET, None) else tier if isinstance(tier, str) else said(tier),
        stated_usd=stated.usd,
        why_unknown="",
        notes=(stated.note,) if stated.note else (),
        stated_at=stated.pointer,
    )


def _rates(
    analysis: Analysis,
    at: datetime,
    model: str,
    quantities: Quantities,
    overrides: Sequence[Override],
) -> Rates | str:
    if not model:
        return "no model is named"
    vendor, prompt_tokens = vendor_named(analysis.vendor), quantities.size(Kind.PROMPT)
    return rates_of(Asked(vendor, model, tier_of(analysis), at, prompt_tokens), overrides)


def _asked(analysis: Analysis, request_model: str | None) -> tuple[str, ...]:
    if analysis.model or not request_model:
        return ()
    return ("the answer names no model: priced as the one that was asked for",)


def _rounding(stated: Decimal, computed: Decimal) -> Decimal:
    """How far the two may lie apart: one unit in the last place of what was stated."""
    noise = EXACT.multiply(computed, NOISE)
    if not stated:
        return noise
    exponent = stated.as_tuple().exponent
    unit = Decimal(1).scaleb(exponent) if isinstance(exponent, int) else noise
    return max(min(unit, COARSEST), noise)
