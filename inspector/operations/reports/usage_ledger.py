"""Usage ledger in the terminal: counts in columns, then the invariants with their outcome."""

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from rich.text import Text

from inspector.core.tokens.invariants import LedgerLine as Check
from inspector.core.tokens.invariants import LedgerLineOutcome
from inspector.core.tokens.ledger import (
    UsageLedger,
    UsageLedgerCost,
    UsageLedgerEntry,
    ledger_entries,
)
from inspector.formatting.wire_values import json_text, wire_word
from inspector.operations.reports.terminal_lines import TerminalLine, first_line, more

MAX_COSTS = 20
"""Amounts that a sender states, under any names; the others are counted."""
MARKS = {
    LedgerLineOutcome.HELD: ("✓", ""),
    LedgerLineOutcome.BROKEN: ("✗", "red"),
    LedgerLineOutcome.UNDECIDABLE: ("–", "dim"),
}


def ledger_lines(ledger: UsageLedger) -> Iterator[TerminalLine]:
    yield from _counts([(depth, entry) for depth, entry in ledger_entries(ledger)])
    for check in ledger.checked:
        yield _check(check), 2
    if ledger.unchecked:
        yield Text(ledger.unchecked, "dim"), 2
    for cost in ledger.costs[:MAX_COSTS]:
        yield _cost(cost), 2
    yield from more(len(ledger.costs) - MAX_COSTS, "amount", 2)


def count_text(entry: UsageLedgerEntry) -> str:
    """Return the count; "not sent", "null" or the sent value if it is no count."""
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    return wire_word(entry.count) if entry.odd is UNSET else first_line(json_text(entry.odd))


def _counts(rows: Sequence[tuple[int, UsageLedgerEntry]]) -> Iterator[TerminalLine]:
    entries = [(f"{'  ' * depth}{_name(entry)}", count_text(entry), entry) for depth, entry in rows]
    name_width = max((len(name) for name, _, _ in entries), default=0)
    value_width = max((len(value) for _, value, entry in entries if entry.odd is UNSET), default=0)
    for name, value, entry in entries:
        ink = "yellow" if entry.odd is not UNSET else "dim" if entry.count is UNSET else ""
        yield Text(f"{name:<{name_width}}  {value:>{value_width}}{_added(entry)}", ink), 2


def _added(entry: UsageLedgerEntry) -> str:
    """`` = 3 input_tokens + 2,048 cache_read_input_tokens``; empty if the count is no sum."""
    summands = " + ".join(f"{each.count:,} {each.wire_name}" for each in entry.summands)
    return f" = {summands}" if summands else ""


def _name(entry: UsageLedgerEntry) -> str:
    return f"{entry.wire_name}, derived" if entry.is_derived else entry.wire_name


def _check(check: Check) -> Text:
    mark, ink = MARKS[check.outcome]
    return Text(f"{mark} {check.sentence}{': ' if check.why else ''}{check.why}", ink)


def _cost(cost: UsageLedgerCost) -> Text:
    derived = ", derived" if cost.is_derived else ""
    return Text(f"{first_line(cost.name)}{derived}  {first_line(wire_word(cost.amount))}")
