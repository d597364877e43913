"""The usage ledger: wholes on one scale, every count where it stood, its lines, and the cost."""

from __future__ import annotations

from dataclasses import dataclass

from msgspec import UNSET

from inspector.core.completion import Usage
from inspector.core.counting import Basis
from inspector.core.invariants import Line
from inspector.core.ledger import Cost, Entry, Ledger, entries, ledger_of, odd_counts
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.receipt import ShownReceipt, shown_receipt
from inspector.dashboard.token_bars import Whole, said, wholes
from inspector.dashboard.why_empty import USAGE, why_empty
from inspector.dashboard.wire import json_text, wire_word
from inspector.usage.receipts import Receipt

MOST_COSTS = 40
MOST_EXTRAS = 40
MOST_LINES = 200


@dataclass(frozen=True, slots=True)
class Row:
    depth: int
    name: str
    said: str
    pointer: str | None
    """Inside the usage object; None where it did not stand."""
    tone: str
    """``error`` what is no count, ``faint`` what was not sent, ``derived`` what we computed."""


@dataclass(frozen=True, slots=True)
class Money:
    name: str
    said: str
    is_derived: bool


@dataclass(frozen=True, slots=True)
class ShownUsage:
    found_at: str | int | None
    pointer: str
    wholes: tuple[Whole, ...]
    counts: tuple[tuple[Row, ...], ...]
    """Total and prompt with its parts, then what else the total consists of."""
    lines: tuple[Line, ...]
    unchecked: str
    """What no line is written about: nothing of it was sent."""
    readings: tuple[str, ...]
    """What is read as standing beside its whole, or only assumed to stand inside."""
    money: tuple[Money, ...]
    more_money: int
    extras: tuple[tuple[str, str], ...]
    more_extras: int
    receipt: ShownReceipt

    @property
    def found_in_event(self) -> int | None:
        return self.found_at if isinstance(self.found_at, int) else None


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or view.receipt is None or unread(view):
        return Drawn(why_empty=unread(view))
    usage = view.analysis.usage
    if not usage.reported:
        return Drawn(why_empty=why_empty(view, USAGE).sentence)
    ledger = ledger_of(view.analysis)
    total = usage.total_tokens
    count = f"{total:,}" if isinstance(total, int) else "partly"
    is_broken = any(line.is_promised for line in ledger.broken)
    content = shown_usage(usage, ledger, priced(view, view.receipt))
    return Drawn(count, content, tone="error" if is_broken else "")


def priced(view: CaptureView, receipt: Receipt) -> ShownReceipt:
    """Where the sums have another cost, that is told."""
    return shown_receipt(receipt, view.row.received_at, view.price)


def shown_usage(usage: Usage, ledger: Ledger, receipt: ShownReceipt) -> ShownUsage:
    odd = {pointer for pointer, _ in odd_counts(usage).values()}
    extras = [(pointer, it) for pointer, it in usage.extras.items() if pointer not in odd]
    return ShownUsage(
        found_at=usage.found_at,
        pointer=usage.pointer,
        wholes=wholes(ledger.total.parts) if ledger.total else (),
        counts=counts_of(ledger, usage.pointer),
        lines=ledger.checked[:MOST_LINES],
        unchecked=ledger.unchecked,
        readings=tuple(e.why for e in ledger.countings if e.basis is not Basis.PLAIN),
        money=tuple(map(money, ledger.costs[:MOST_COSTS])),
        more_money=max(len(ledger.costs) - MOST_COSTS, 0),
        extras=tuple((pointer, json_text(it)) for pointer, it in extras[:MOST_EXTRAS]),
        more_extras=max(len(extras) - MOST_EXTRAS, 0),
        receipt=receipt,
    )


# -- in words --------------------------------------------------------------------------------------


def counts_of(ledger: Ledger, base: str) -> tuple[tuple[Row, ...], ...]:
    found = tuple(row(depth, entry, base) for depth, entry in entries(ledger))
    names = [entry.name for _, entry in entries(ledger)]
    at = names.index("completion_tokens") if "completion_tokens" in names else len(found)
    return tuple(rows for rows in (found[:at], found[at:]) if rows)


def row(depth: int, entry: Entry, base: str) -> Row:
    tone = "error" if entry.odd is not UNSET else "faint" if entry.count is UNSET else ""
    tone = "derived" if entry.is_derived else tone
    pointer = entry.pointer.removeprefix(base) if entry.pointer else None
    return Row(depth, entry.wire_name, said(entry), pointer, tone)


def money(cost: Cost) -> Money:
    said = f"{json_text(cost.amount)}: not an amount" if cost.is_odd else wire_word(cost.amount)
    return Money(cost.name, said, cost.is_derived)


PANEL = Panel(position=40, slug="usage", title="Usage", draw=draw)
