"""The usage ledger in a terminal: the counts in columns, then the lines that hold or do not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import UNSET
from rich.text import Text

from inspector.core.invariants import Line as Check
from inspector.core.invariants import LineOutcome
from inspector.core.ledger import Cost, Entry, Ledger, entries
from inspector.dashboard.wire import json_text, wire_word
from inspector.operations.reports.page import Line, first_line, more

MOST_COSTS = 20
MARKS = {
    LineOutcome.HELD: ("✓", ""),
    LineOutcome.BROKEN: ("✗", "red"),
    LineOutcome.UNDECIDABLE: ("–", "dim"),
}


def ledger_lines(ledger: Ledger) -> Iterator[Line]:
    yield from _counts([(depth, entry) for depth, entry in entries(ledger)])
    for check in ledger.checked:
        yield _check(check), 2
    if ledger.unchecked:
        yield Text(ledger.unchecked, "dim"), 2
    for cost in ledger.costs[:MOST_COSTS]:
        yield _cost(cost), 2
    yield from more(len(ledger.costs) - MOST_COSTS, "amount", 2)


def written(entry: Entry) -> str:
    """A count, or why there is none: "not sent", "null", or what was sent instead."""
    if isinstance(entry.count, int):
        return f"{entry.count:,}"
    return wire_word(entry.count) if entry.odd is UNSET else first_line(json_text(entry.odd))


def _counts(rows: Sequence[tuple[int, Entry]]) -> Iterator[Line]:
    told = [(f"{'  ' * depth}{_name(entry)}", written(entry), entry) for depth, entry in rows]
    name_width = max((len(name) for name, _, _ in told), default=0)
    value_width = max((len(value) for _, value, entry in told if entry.odd is UNSET), default=0)
    for name, value, entry in told:
        ink = "yellow" if entry.odd is not UNSET else "dim" if entry.count is UNSET else ""
        yield Text(f"{name:<{name_width}}  {value:>{value_width}}", ink), 2


def _name(entry: Entry) -> str:
    return f"{entry.wire_name}, derived" if entry.is_derived else entry.wire_name


def _check(check: Check) -> Text:
    mark, ink = MARKS[check.outcome]
    return Text(f"{mark} {check.sentence}{': ' if check.why else ''}{check.why}", ink)


def _cost(cost: Cost) -> Text:
    derived = ", derived" if cost.is_derived else ""
    return Text(f"{first_line(cost.name)}{derived}  {first_line(wire_word(cost.amount))}")
