"""The receipt of a capture in words: what was paid for, at which rate, and how sure that is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.dashboard.cost_words import missing_words, reason_words
from inspector.usage.money import dollars, plain
from inspector.usage.queries import StoredPrice
from inspector.usage.receipt_lines import ReceiptLine
from inspector.usage.receipts import Receipt, as_json

PER = {1: "each", 1000: "per thousand", 1_000_000: "per million"}
MOST_CHARACTERS = 80


@dataclass(frozen=True, slots=True)
class ShownLine:
    count: int
    what: str
    rate: str
    """``$2.5 per million``."""
    amount: str


@dataclass(frozen=True, slots=True)
class ShownStated:
    """The stated cost beside the computed one."""

    holds: bool
    line: str
    """What would hold."""
    sums: str
    """``$0.002133 ≠ $0.001334``."""
    words: str


@dataclass(frozen=True, slots=True)
class ShownReceipt:
    lines: tuple[ShownLine, ...]
    total: str
    """Empty where it is not known, for the reason in ``why_unknown``."""
    missing: str
    """What is billed and not in the total, which then is the least."""
    why_unknown: str
    rates: str
    """Whose rates, of what and when."""
    stated: ShownStated | None
    stated_alone: str
    """A stated cost that there is nothing to compare with."""
    counted: str
    """How the capture is in the sums, where that is not by this receipt."""
    notes: tuple[str, ...]
    json: str


def shown_receipt(
    receipt: Receipt, at: datetime, stored: StoredPrice | None = None
) -> ShownReceipt:
    """``stored``: the price by which the capture is in the sums, where it is in them."""
    is_known = receipt.total_usd is not None
    is_compared = is_known and receipt.stated_usd is not None
    is_alone = receipt.stated_usd is not None and not is_known
    return ShownReceipt(
        lines=tuple(map(shown_line, receipt.lines)),
        total=least(receipt) if is_known else "",
        missing=missing_words(receipt.missing),
        why_unknown=receipt.why_unknown,
        rates=rates(receipt, at) if is_known else "",
        stated=stated(receipt) if is_compared else None,
        stated_alone=dollars(receipt.stated_usd) if is_alone else "",
        counted=counted(receipt, stored) if stored else "",
        notes=receipt.notes,
        json=json.dumps(as_json(receipt), indent=2),
    )


def counted(receipt: Receipt, stored: StoredPrice) -> str:
    """Empty where this receipt is the one that was counted."""
    here = (plain(receipt.total_usd), receipt.table, receipt.reason, receipt.missing)
    if here == (stored.computed_usd, stored.table, stored.reason, stored.missing):
        return ""
    if stored.computed_usd is None:
        return f"The usage page counts its cost as unknown, by {stored.table}: {stored.reason}"
    without = f", without {stored.missing}" if stored.missing else ""
    return f"The usage page counts it with ${stored.computed_usd}, by {stored.table}{without}"


def shown_line(line: ReceiptLine) -> ShownLine:
    rate = f"{dollars(line.rate_usd)} {PER[line.per]}"
    return ShownLine(line.count, line.what, rate, dollars(line.amount_usd))


def rates(receipt: Receipt, at: datetime) -> str:
    """``genai-prices 0.2.3: gpt-4o at openai on 2026-11-20, service tier flex``."""
    at_whom = f" at {receipt.provider}" if receipt.provider else ""
    tier = f"service tier {clipped(receipt.tier)}" if receipt.tier else "no service tier stated"
    day = at.astimezone(UTC).date().isoformat()
    return f"{receipt.table}: {clipped(receipt.model)}{at_whom} on {day}, {tier}"


def stated(receipt: Receipt) -> ShownStated:
    difference = receipt.difference_usd
    assert difference is not None
    holds, is_above = not receipt.is_contradicted, difference > 0
    relation = "≠" if not holds else "≈" if difference else "="
    why = ", as rounding makes it" if holds else ""
    line = "stated cost = computed cost"
    if receipt.is_lower_bound:
        line = "stated cost ≥ computed cost"
        relation, why = ("≥" if is_above else relation), ("" if is_above else why)
    sums = f"{dollars(receipt.stated_usd)} {relation} {dollars(receipt.total_usd)}"
    side = "above" if is_above else "below"
    words = f"{dollars(abs(difference))} {side} the computed cost{why}" if difference else ""
    return ShownStated(holds, line, sums, words)


def least(receipt: Receipt) -> str:
    """The computed cost; ``≥`` where something billed is not in it."""
    return f"{'≥ ' if receipt.is_lower_bound else ''}{dollars(receipt.total_usd)}"


def clipped(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
