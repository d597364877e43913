"""Usage panel: token totals as bars, every count with its location, invariants, and the cost."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.completion import Usage
from inspector.core.tokens.inclusion import InclusionBasis
from inspector.core.tokens.invariants import LedgerLine
from inspector.core.tokens.ledger import (
    UsageLedger,
    UsageLedgerCost,
    UsageLedgerEntry,
    ledger_entries,
    ledger_of,
    odd_counts,
)
from inspector.core.vendors import Vendor, vendor_named
from inspector.dashboard.capture.json.field_meaning import field_meaning
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel import Panel, PanelContent
from inspector.dashboard.capture.page.why_empty import USAGE, why_empty
from inspector.dashboard.capture.panels import unread_reason
from inspector.dashboard.charts.token_bars import TokenBar, build_token_bars, value_text
from inspector.dashboard.text.receipt import ReceiptDisplay, receipt_display
from inspector.formatting.wire_values import json_text, wire_word
from inspector.usage.cost.receipts import CostReceipt

MOST_COSTS = 40
MOST_EXTRAS = 40
MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class UsageLedgerRow:
    depth: int
    name: str
    value_text: str
    pointer: str | None
    """Pointer inside the usage object; None if not sent."""
    tone: str
    """``error`` if not a number, ``faint`` if not sent, ``derived`` if computed here."""


@dataclass(frozen=True, slots=True)
class StatedCostRow:
    name: str
    value_text: str
    is_derived: bool


@dataclass(frozen=True, slots=True)
class UsageExtra:
    """A field of the usage object that is no count; ``meaning`` is empty if unknown."""

    pointer: str
    value_text: str
    meaning: str


@dataclass(frozen=True, slots=True)
class UsageDisplay:
    found_at: str | int | None
    pointer: str
    wholes: tuple[TokenBar, ...]
    counts: tuple[tuple[UsageLedgerRow, ...], ...]
    """Total, prompt and its parts; then the rest of the total with its parts."""
    lines: tuple[LedgerLine, ...]
    unchecked: str
    """Invariants that were not checked, because none of their counts was sent."""
    readings: tuple[str, ...]
    """Parts counted outside their total, or only assumed to be inside."""
    money: tuple[StatedCostRow, ...]
    more_money: int
    extras: tuple[UsageExtra, ...]
    more_extras: int
    receipt: ReceiptDisplay

    @property
    def found_in_event(self) -> int | None:
        return self.found_at if isinstance(self.found_at, int) else None


def draw(view: CaptureView) -> PanelContent:
    if view.analysis is None or view.receipt is None or unread_reason(view):
        return PanelContent(why_empty=unread_reason(view))
    usage = view.analysis.usage
    if not usage.reported:
        return PanelContent(why_empty=why_empty(view, USAGE).sentence)
    ledger = ledger_of(view.analysis)
    total = usage.total_tokens
    count = f"{total:,}" if isinstance(total, int) else "partly"
    is_broken = any(line.is_promised for line in ledger.broken)
    vendor = vendor_named(view.analysis.vendor)
    content = usage_display(usage, ledger, priced_receipt(view, view.receipt), vendor)
    return PanelContent(count, content, tone="error" if is_broken else "")


def priced_receipt(view: CaptureView, receipt: CostReceipt) -> ReceiptDisplay:
    """Adds a note if the sums use another cost than this receipt."""
    return receipt_display(receipt, view.row.received_at, view.price)


def usage_display(
    usage: Usage, ledger: UsageLedger, receipt: ReceiptDisplay, vendor: Vendor | None
) -> UsageDisplay:
    odd = {pointer for pointer, _ in odd_counts(usage).values()}
    extras = [(pointer, it) for pointer, it in usage.extras.items() if pointer not in odd]
    return UsageDisplay(
        found_at=usage.found_at,
        pointer=usage.pointer,
        wholes=build_token_bars(ledger.total.parts) if ledger.total else (),
        counts=counts_of(ledger, usage.pointer),
        lines=ledger.checked[:MOST_LINES],
        unchecked=ledger.unchecked,
        readings=tuple(e.why for e in ledger.inclusions if e.basis is not InclusionBasis.PLAIN),
        money=tuple(map(stated_cost_row, ledger.costs[:MOST_COSTS])),
        more_money=max(len(ledger.costs) - MOST_COSTS, 0),
        extras=tuple(
            UsageExtra(pointer, json_text(it), field_meaning(vendor, "usage", pointer))
            for pointer, it in extras[:MOST_EXTRAS]
        ),
        more_extras=max(len(extras) - MOST_EXTRAS, 0),
        receipt=receipt,
    )


# -- in words --------------------------------------------------------------------------------------


def counts_of(ledger: UsageLedger, base: str) -> tuple[tuple[UsageLedgerRow, ...], ...]:
    found = tuple(ledger_row(depth, entry, base) for depth, entry in ledger_entries(ledger))
    names = [entry.name for _, entry in ledger_entries(ledger)]
    at = names.index("completion_tokens") if "completion_tokens" in names else len(found)
    return tuple(rows for rows in (found[:at], found[at:]) if rows)


def ledger_row(depth: int, entry: UsageLedgerEntry, base: str) -> UsageLedgerRow:
    tone = "error" if entry.odd is not UNSET else "faint" if entry.count is UNSET else ""
    tone = "derived" if entry.is_derived else tone
    pointer = entry.pointer.removeprefix(base) if entry.pointer else None
    return UsageLedgerRow(depth, entry.wire_name, value_text(entry), pointer, tone)


def stated_cost_row(cost: UsageLedgerCost) -> StatedCostRow:
    amount = f"{json_text(cost.amount)}: not an amount" if cost.is_odd else wire_word(cost.amount)
    return StatedCostRow(cost.name, amount, cost.is_derived)


PANEL = Panel(position=40, slug="usage", title="Usage", draw=draw)
