"""Compares usage: every count under its total."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from msgspec import UNSET

from inspector.core.tokens.ledger import (
    UsageLedger,
    UsageLedgerEntry,
    ledger_entries,
    ledger_of,
    odd_counts,
)
from inspector.dashboard.charts.token_bars import value_text
from inspector.dashboard.compare.measures import Costs, cost_of
from inspector.dashboard.compare.section import (
    ABSENT,
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    ComparisonTable,
    comparison_table,
    count_words,
    merged_order,
    rows_clause,
)
from inspector.dashboard.compare.side import ComparedSide, Sides
from inspector.dashboard.compare.usage_bars import BarPair, bar_pairs
from inspector.dashboard.compare.volatile import is_volatile
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.wire_values import json_text, wire_word
from inspector.usage.cost.money import dollars

Ledgers = tuple[UsageLedger, UsageLedger]


@dataclass(frozen=True, slots=True)
class UsageComparison:
    pairs: tuple[BarPair, ...]
    table: ComparisonTable


def ledgers_of(sides: Sides) -> Ledgers:
    before, after = (side.analysis for side in sides)
    assert before is not None and after is not None, "both were read"
    return ledger_of(before), ledger_of(after)


def compare_usage(sides: Sides, costs: Costs) -> ComparisonSection:
    ledgers = ledgers_of(sides)
    counts = tuple(count_rows(ledgers))
    stated = tuple(cost_rows(ledgers))
    others = (*(stated or listed_cost_rows(sides, costs)), *extra_rows(sides))
    rows = (*counts, *others)
    if not rows:
        return ComparisonSection("usage", "Usage", "No usage was sent on any side.", count="none")
    is_same = all(row.is_same for row in rows)
    counted = rows_clause(counts, "usage differs in {} count", "usage differs in {} counts")
    beyond = rows_clause(others, "{} other value of usage", "{} other values of usage")
    return ComparisonSection(
        slug="usage",
        title="Usage",
        sentence=f"The same on both: {plural(len(counts), 'count')}." if is_same else "",
        content=None
        if is_same
        else UsageComparison(
            tuple(bar_pairs(sides, ledgers, costs)),
            comparison_table("Usage on each side", sides, rows),
        ),
        count=count_words(sum(row.differs for row in rows)),
        clause=sent_by_one_side(ledgers) or "; ".join(filter(None, (counted, beyond))),
        form="usage",
    )


def sent_by_one_side(ledgers: Ledgers) -> str:
    """Clause if only one of two sides sent usage."""
    before, after = (ledger.total is not None for ledger in ledgers)
    if before == after:
        return ""
    return f"usage only in {'A' if before else 'B'}"


# -- counts ----------------------------------------------------------------------------------------


def count_rows(ledgers: Ledgers) -> Iterator[ComparisonRow]:
    """Yield the counts that were sent, totals before their parts."""
    before, after = (
        {
            entry.name: (depth, entry)
            for depth, entry in ledger_entries(each)
            if not entry.is_derived
        }
        for each in ledgers
    )
    for name in merged_order(before, after):
        depth, entry = before.get(name) or after[name]
        old, new = (tree[name][1] if name in tree else None for tree in (before, after))
        if is_sent(old) or is_sent(new):
            cells = count_cell(old, old), count_cell(old, new)
            yield ComparisonRow(exact_segments(entry.wire_name), cells, depth)


def is_sent(entry: UsageLedgerEntry | None) -> bool:
    return entry is not None and (entry.count is not UNSET or entry.odd is not UNSET)


def count_cell(first: UsageLedgerEntry | None, entry: UsageLedgerEntry | None) -> ComparisonCell:
    if entry is None or not is_sent(entry):
        return ABSENT
    if entry.odd is not UNSET:
        return ComparisonCell(value_text(entry), "not a count", "error")
    if not isinstance(entry.count, int):
        return ComparisonCell(value_text(entry), tone="faint")
    return ComparisonCell(value_text(entry), count_difference(first and first.count, entry.count))


def count_difference(first: object, count: int) -> str:
    """``+9`` or ``−3``; empty if equal or not comparable."""
    if not isinstance(first, int) or first == count:
        return ""
    return f"{count - first:+,}".replace("-", "−")


# -- money and what else stands in usage -----------------------------------------------------------


def cost_rows(ledgers: Ledgers) -> Iterator[ComparisonRow]:
    before, after = (
        {cost.name: cost.amount for cost in ledger.costs if not cost.is_derived}
        for ledger in ledgers
    )
    for name in merged_order(before, after):
        old, new = before.get(name, UNSET), after.get(name, UNSET)
        yield ComparisonRow(exact_segments(name), (money_cell(old, old), money_cell(old, new)))


def listed_cost_rows(sides: Sides, costs: Costs) -> Iterator[ComparisonRow]:
    """Yield the cost that the list has of both; the headline weighs it, so it is not counted."""
    before, after = (cost_of(side, costs) for side in sides)
    if before is not None and after is not None:
        cells = (ComparisonCell(dollars(before)), ComparisonCell(dollars(after)))
        yield ComparisonRow(exact_segments("cost, computed"), cells, is_muted=True)


def money_cell(first: object, amount: object) -> ComparisonCell:
    tone = "" if isinstance(amount, str) else "faint"
    return ComparisonCell(wire_word(amount), amount_difference(first, amount), tone)


def amount_difference(first: object, amount: object) -> str:
    if not isinstance(first, str) or not isinstance(amount, str) or first == amount:
        return ""
    try:
        more = Decimal(amount) - Decimal(first)
    except InvalidOperation:
        return ""
    is_plain = more.is_finite() and abs(more.adjusted()) < 30
    return f"{more:+f}".replace("-", "−") if is_plain else ""


def extra_rows(sides: Sides) -> Iterator[ComparisonRow]:
    """Fields of the usage object that are not counts."""
    before, after = (extras_of(side) for side in sides)
    for pointer in merged_order(before, after):
        cells = before.get(pointer, ABSENT), after.get(pointer, ABSENT)
        yield ComparisonRow(
            exact_segments(pointer), cells, is_muted=is_volatile(pointer), is_code=True
        )


def extras_of(side: ComparedSide) -> dict[str, ComparisonCell]:
    if side.analysis is None:
        return {}
    sent = side.analysis.usage
    odd = {pointer for pointer, _ in odd_counts(sent).values()}
    found = {name: value for name, value in sent.extras.items() if name not in odd}
    return {name: ComparisonCell(json_text(value)) for name, value in found.items()}
