"""Usage panel: token totals as bars, every count with its location, invariants, and the cost."""

from dataclasses import dataclass, replace

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Usage
from inspector.core.formats import usage_table_of
from inspector.core.formats.usage_table import UsageTable
from inspector.core.json.pointer import steps_of
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
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.why_empty import USAGE, why_empty
from inspector.dashboard.capture.usage.price import cost_receipt, stored_price
from inspector.dashboard.charts.token_bars import TokenBar, build_token_bars, value_text
from inspector.dashboard.text.receipt import ReceiptDisplay, receipt_display
from inspector.formatting.wire_values import json_text, wire_word
from inspector.usage import repricing
from inspector.usage.cost.receipts import CostReceipt

MAX_COSTS = 40
"""Amounts that a sender states, under any names; `more_money` counts the others."""
MAX_EXTRAS = 40
"""Fields of usage that no format knows; `more_extras` counts the others (docs/limits.md)."""
MAX_LINES = 200
"""Equations of the ledger: usage may name any number of details that are summed."""


@dataclass(frozen=True, slots=True)
class UsageLedgerRow:
    depth: int
    name: str
    value_text: str
    pointer: str | None
    """Pointer inside the usage object; None if not sent or a sum."""
    tone: str
    """``error`` if not a number, ``faint`` if not sent, ``derived`` if computed here."""
    added: str = ""
    """Sum written out, such as ``3 + 2,048``; empty if the count is no sum."""
    added_at: tuple[str, ...] = ()
    """Pointers of the summands inside the usage object."""


@dataclass(frozen=True, slots=True)
class StatedCostRow:
    name: str
    value_text: str
    is_derived: bool


@dataclass(frozen=True, slots=True)
class UsageExtra:
    """A field of usage that is no count; ``meaning``: what a vendor tells beyond the format."""

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
    inclusion_notes: tuple[str, ...]
    """Parts counted outside their total, or only assumed to be inside."""
    money: tuple[StatedCostRow, ...]
    more_money: int
    extras: tuple[UsageExtra, ...]
    more_extras: int
    receipt: ReceiptDisplay | None

    @property
    def found_in_event(self) -> int | None:
        return self.found_at if isinstance(self.found_at, int) else None


def draw(view: CaptureView) -> PanelBody:
    # Usage that a key figure knows is shown, even of a body of no known format.
    usage = view.analysis.usage if view.analysis else Usage()
    if view.analysis is None or (unread_reason(view) and not usage.reported):
        return PanelBody(why_empty=unread_reason(view))
    if not usage.reported:
        return PanelBody(why_empty=why_empty(view, USAGE).sentence)
    ledger = ledger_of(view.analysis)
    total = usage.total_tokens
    count = f"{total:,}" if isinstance(total, int) else sum_of_wholes(view.analysis) or "partly"
    is_broken = any(line.is_promised for line in ledger.broken)
    vendor = vendor_named(view.analysis.vendor)
    table = usage_table_of(view.analysis.dialect)
    shown = receipt_of_page(view, receipt) if (receipt := view.once(cost_receipt)) else None
    content = usage_display(usage, ledger, shown, vendor, table)
    return PanelBody(count, content, tone="error" if is_broken else "")


def receipt_of_page(view: CaptureView, receipt: CostReceipt) -> ReceiptDisplay:
    """Return the receipt as the page shows it, with a note if the sums use another cost."""
    shown = receipt_display(receipt, view.row.called_at, view.once(stored_price))
    if shown.as_aggregated and view.seen_by:
        is_under_way = repricing.for_principal(view.seen_by).is_under_way()
        return replace(shown, is_recalculated_now=is_under_way)
    return shown


def usage_display(
    usage: Usage,
    ledger: UsageLedger,
    receipt: ReceiptDisplay | None,
    vendor: Vendor | None,
    table: UsageTable,
) -> UsageDisplay:
    odd = {pointer for pointer, _ in odd_counts(usage).values()}
    extras = [(pointer, it) for pointer, it in usage.extras.items() if pointer not in odd]
    return UsageDisplay(
        found_at=usage.found_at,
        pointer=usage.pointer,
        wholes=build_token_bars(ledger.total.parts) if ledger.total else (),
        counts=counts_of(ledger, usage.pointer),
        lines=ledger.checked[:MAX_LINES],
        inclusion_notes=tuple(
            each.why for each in ledger.inclusions if each.basis is not InclusionBasis.PLAIN
        ),
        money=tuple(map(stated_cost_row, ledger.costs[:MAX_COSTS])),
        more_money=max(len(ledger.costs) - MAX_COSTS, 0),
        extras=tuple(
            UsageExtra(pointer, json_text(it), meaning_of(pointer, vendor, table))
            for pointer, it in extras[:MAX_EXTRAS]
        ),
        more_extras=max(len(extras) - MAX_EXTRAS, 0),
        receipt=receipt,
    )


def meaning_of(pointer: str, vendor: Vendor | None, table: UsageTable) -> str:
    told = field_meaning(vendor, "usage", pointer)
    is_defined = steps_of(pointer)[:1] and steps_of(pointer)[0] in table.beside
    return told or ("" if is_defined else "is not a count that this format defines")


def sum_of_wholes(analysis: Analysis) -> str:
    """``2,051 + 12`` for prompt and completion in formats without a total; else ""."""
    usage = analysis.usage
    if "total_tokens" in usage_table_of(analysis.dialect).counts:
        return ""
    if isinstance(usage.prompt_tokens, int) and isinstance(usage.completion_tokens, int):
        return f"{usage.prompt_tokens:,} + {usage.completion_tokens:,}"
    return ""


# -- in words --------------------------------------------------------------------------------------


def counts_of(ledger: UsageLedger, base: str) -> tuple[tuple[UsageLedgerRow, ...], ...]:
    found = tuple(ledger_row(depth, entry, base) for depth, entry in ledger_entries(ledger))
    names = [entry.name for _, entry in ledger_entries(ledger)]
    at = names.index("completion_tokens") if "completion_tokens" in names else len(found)
    return tuple(rows for rows in (found[:at], found[at:]) if rows)


def ledger_row(depth: int, entry: UsageLedgerEntry, base: str) -> UsageLedgerRow:
    return UsageLedgerRow(
        depth,
        entry.wire_name,
        value_text(entry),
        pointer=entry.pointer.removeprefix(base) if entry.pointer else None,
        tone=_tone(entry),
        added=" + ".join(f"{each.count:,}" for each in entry.summands),
        added_at=tuple(each.pointer.removeprefix(base) for each in entry.summands),
    )


def _tone(entry: UsageLedgerEntry) -> str:
    if entry.is_derived:
        return "derived"
    if entry.odd is not UNSET:
        return "error"
    return "faint" if entry.count is UNSET else ""


def stated_cost_row(cost: UsageLedgerCost) -> StatedCostRow:
    amount = f"{json_text(cost.amount)}: not an amount" if cost.is_odd else wire_word(cost.amount)
    return StatedCostRow(cost.name, amount, cost.is_derived)


PANEL = Panel(position=40, slug="usage", title="Usage", draw=draw)
