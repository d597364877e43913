"""A cost receipt in words: billed quantities, rates, and how certain the total is."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.dashboard.text.cost_labels import (
    kind_words,
    reason_words,
    table_words,
    unpriced_items_words,
)
from inspector.dashboard.text.cost_note_sentences import cost_note_words, tier_words
from inspector.usage.cost.money import dollars, plain
from inspector.usage.cost.overrides import DATED
from inspector.usage.cost.receipt_lines import ReceiptLine
from inspector.usage.cost.receipts import CostReceipt, receipt_as_json
from inspector.usage.cost.unknown import PRICEABLE
from inspector.usage.rollup.queries import StoredPrice

PER = {1: "each", 1000: "per thousand", 1_000_000: "per million"}
MAX_CHARACTERS = 80
"""Characters of an amount: what a sender states as one may be of any length."""


@dataclass(frozen=True, slots=True)
class ReceiptLineDisplay:
    count: int
    what: str
    """``prompt, not cached``."""
    rate: str
    """``$2.5 per million``."""
    amount: str


@dataclass(frozen=True, slots=True)
class StatedCostDisplay:
    """The stated cost compared with the computed one."""

    holds: bool
    line: str
    """The equation that is checked."""
    sums: str
    """``$0.002133 ≠ $0.001334``."""
    words: str


@dataclass(frozen=True, slots=True)
class ReceiptDisplay:
    lines: tuple[ReceiptLineDisplay, ...]
    total: str
    """Empty if unknown; ``why_unknown`` then says why."""
    unpriced: str
    """Billed items the total excludes, which makes it a lower bound."""
    why_unknown: str
    is_priceable: bool
    """True if a price of the team makes it known."""
    rates: str
    """Price table, model and date of the rates."""
    stated: StatedCostDisplay | None
    stated_alone: str
    """The stated cost if there is no computed one to compare with."""
    as_aggregated: str
    """The price the team's sums use, if it is not that of this receipt."""
    notes: tuple[str, ...]
    json: str
    is_recalculated_now: bool = False
    """A recalculation runs, after which the sums may use the price of this receipt."""


def receipt_display(
    receipt: CostReceipt, at: datetime, stored: StoredPrice | None = None
) -> ReceiptDisplay:
    """Build the display; ``stored`` is the price under which the capture is counted, if it is."""
    is_known = receipt.total_usd is not None
    is_compared = is_known and receipt.stated_usd is not None
    is_alone = receipt.stated_usd is not None and not is_known
    return ReceiptDisplay(
        lines=tuple(map(receipt_line_display, receipt.lines)),
        total=computed_cost_text(receipt) if is_known else "",
        unpriced=unpriced_items_words(receipt.unpriced_items),
        why_unknown=why_unknown(receipt),
        is_priceable=receipt.reason in PRICEABLE,
        rates=rate_source(receipt, at) if is_known else "",
        stated=stated_cost_display(receipt) if is_compared else None,
        stated_alone=dollars(receipt.stated_usd) if is_alone else "",
        as_aggregated=as_aggregated(receipt, stored) if stored else "",
        notes=tuple(map(cost_note_words, receipt.notes)),
        json=json.dumps(receipt_as_json(receipt), indent=2),
    )


def as_aggregated(receipt: CostReceipt, stored: StoredPrice) -> str:
    """Describe the stored price; empty if it equals this receipt."""
    here = (plain(receipt.total_usd), receipt.table, receipt.reason, receipt.unpriced_items)
    if here == (stored.computed_usd, stored.table, stored.reason, stored.unpriced_items):
        return ""
    if stored.computed_usd is None:
        why = reason_words(stored.reason or "")
        return f"The usage page counts its cost as unknown ({table_words(stored.table)}: {why})"
    unpriced = unpriced_items_words(stored.unpriced_items)
    least, excludes = ("at least ", f", excludes {unpriced}") if unpriced else ("", "")
    cost = f"{least}${stored.computed_usd}"
    return f"The usage page counts {cost} ({table_words(stored.table)}{excludes})"


def why_unknown(receipt: CostReceipt) -> str:
    """Empty if the cost is known."""
    if receipt.detail is not None:
        return cost_note_words(receipt.detail)
    return reason_words(receipt.reason) if receipt.reason else ""


def receipt_line_display(line: ReceiptLine) -> ReceiptLineDisplay:
    rate = f"{dollars(line.rate_usd)} {PER[line.per]}"
    return ReceiptLineDisplay(line.count, line_words(line), rate, dollars(line.amount_usd))


def line_words(line: ReceiptLine) -> str:
    """``prompt, not cached``; ``reasoning, counted separately from completion``."""
    words = kind_words(line.kind)
    if line.outside is not None:
        return f"{words}, counted separately from {kind_words(line.outside)}"
    without = " or ".join(map(kind_words, line.without))
    return f"{words}, not {without}" if without else words


def rate_source(receipt: CostReceipt, at: datetime) -> str:
    """``genai-prices 0.2.3: gpt-4o at openai on 2026-11-20, service tier flex``, or ``your price
    from 2026-11-01 (gpt-4o), service tier flex``.
    """
    at_whom = f" at {receipt.provider}" if receipt.provider else ""
    stated = clip(tier_words(receipt.tiers))
    tier = f", service tier {stated}" if stated else ""
    if receipt.table.startswith(DATED):
        return f"{table_words(receipt.table)}{tier}"
    day = at.astimezone(UTC).date().isoformat()
    return f"{receipt.table}: {clip(receipt.model)}{at_whom} on {day}{tier}"


def stated_cost_display(receipt: CostReceipt) -> StatedCostDisplay:
    difference = receipt.difference_usd
    assert difference is not None
    holds, is_above = not receipt.is_contradicted, difference > 0
    relation = "≠" if not holds else "≈" if difference else "="
    why = ", within rounding" if holds else ""
    line = "stated cost = computed cost"
    if receipt.is_lower_bound:
        line = "stated cost ≥ computed cost"
        relation, why = ("≥" if is_above else relation), ("" if is_above else why)
    sums = f"{dollars(receipt.stated_usd)} {relation} {dollars(receipt.total_usd)}"
    side = "above" if is_above else "below"
    words = f"{dollars(abs(difference))} {side} the computed cost{why}" if difference else ""
    return StatedCostDisplay(holds, line, sums, words)


def computed_cost_text(receipt: CostReceipt) -> str:
    """Return the computed cost; with ``≥`` if billed items are excluded."""
    return f"{'≥ ' if receipt.is_lower_bound else ''}{dollars(receipt.total_usd)}"


def clip(text: str) -> str:
    return text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
