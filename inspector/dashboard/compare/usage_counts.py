"""Compares usage: every count under its total, and the outcome of every invariant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation

from msgspec import UNSET

from inspector.core.tokens.invariants import LedgerLine, LedgerLineOutcome
from inspector.core.tokens.ledger import (
    UsageLedger,
    UsageLedgerEntry,
    ledger_entries,
    ledger_of,
    odd_counts,
)
from inspector.dashboard.charts.token_bars import value_text
from inspector.dashboard.compare.column_heads import column_heads
from inspector.dashboard.compare.section import (
    ComparisonCell,
    ComparisonRow,
    ComparisonSection,
    comparison_table,
    row_clauses,
)
from inspector.dashboard.compare.side import ComparedSide
from inspector.dashboard.compare.volatile import is_volatile
from inspector.dashboard.compare_links import ORDINALS, all_sides_words
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import exact_segments
from inspector.formatting.wire_values import NOT_SENT, json_text, wire_word

OUTCOMES = {
    LedgerLineOutcome.HELD: "holds",
    LedgerLineOutcome.BROKEN: "does not hold",
    LedgerLineOutcome.UNDECIDABLE: "cannot be checked",
}
UNCHECKED = "not checked"


def compare_usage(
    sides: tuple[ComparedSide, ...], ledgers: tuple[UsageLedger, ...]
) -> ComparisonSection:
    counts = tuple(count_rows(ledgers))
    others = (*cost_rows(ledgers), *extra_rows(sides))
    rows = (*counts, *others)
    if not rows:
        return ComparisonSection("usage", "Usage", "No usage was sent on any side.", count="none")
    differing = sum(row.differs for row in rows)
    is_same = all(row.is_same for row in rows)
    sentence = (
        f"The same on {all_sides_words(len(sides))}: {plural(len(counts), 'count')}."
        if is_same
        else ""
    )
    counted = row_clauses(
        counts, len(sides), "usage differs in {} count", "usage differs in {} counts"
    )
    beyond = row_clauses(others, len(sides), "{} other value of usage", "{} other values of usage")
    return ComparisonSection(
        slug="usage",
        title="Usage",
        sentence=sentence,
        content=None
        if is_same
        else comparison_table("Usage on each side", column_heads(sides), rows),
        count=f"{differing}" if differing else "same",
        clauses=tuple(
            sent_by_one_side(ledgers[0], ledger, side) or "; ".join(filter(None, each))
            for ledger, side, *each in zip(ledgers[1:], sides[1:], counted, beyond, strict=True)
        ),
    )


def sent_by_one_side(first: UsageLedger, other: UsageLedger, side: ComparedSide) -> str:
    """Clause if only one of two sides sent usage."""
    if (first.total is None) == (other.total is None):
        return ""
    return f"usage only in the {side.ordinal if first.total is None else ORDINALS[0]}"


def compare_checks(
    sides: tuple[ComparedSide, ...], ledgers: tuple[UsageLedger, ...]
) -> ComparisonSection | None:
    """Compares invariants; None if no side has any."""
    lines = [{line.name: line for line in ledger.checked} for ledger in ledgers]
    names = merged_order([list(each) for each in lines])
    if not names:
        return None
    every = [check_row(name, [each.get(name) for each in lines]) for name in names]
    rows = [row for row in every if row.differs]
    same = f"{plural(len(every) - len(rows), 'check')} with the same outcome"
    differently = row_clauses(
        rows, len(sides), "{} check comes out differently", "{} checks come out differently"
    )
    return ComparisonSection(
        slug="checks",
        title="Checks",
        sentence=f"{same} on {all_sides_words(len(sides))}." if len(rows) < len(every) else "",
        content=comparison_table("Checks on each side", column_heads(sides), rows)
        if rows
        else None,
        count=f"{len(rows)}" if rows else "same",
        clauses=tuple(
            "" if sent_by_one_side(ledgers[0], ledger, side) else clause
            for ledger, side, clause in zip(ledgers[1:], sides[1:], differently, strict=True)
        ),
    )


def ledgers_of(sides: Iterable[ComparedSide]) -> tuple[UsageLedger, ...]:
    return tuple(ledger_of(side.analysis) for side in sides if side.analysis is not None)


def merged_order(lists: list[list[str]]) -> list[str]:
    """Merges ordered lists of names, placing new names after their predecessor."""
    followers: dict[str | None, str | None] = {None: None}
    for names in lists:
        last = None
        for name in names:
            if name not in followers:
                followers[name], followers[last] = followers[last], name
            last = name
    return list(_merge_walk(followers))


def _merge_walk(followers: Mapping[str | None, str | None]) -> Iterator[str]:
    """Yields the names in order, from the first."""
    name = followers[None]
    while name is not None:
        yield name
        name = followers[name]


# -- counts ----------------------------------------------------------------------------------------


def count_rows(ledgers: tuple[UsageLedger, ...]) -> Iterator[ComparisonRow]:
    """Yields the counts that were sent, totals before their parts."""
    trees = [
        {
            entry.name: (depth, entry)
            for depth, entry in ledger_entries(each)
            if not entry.is_derived
        }
        for each in ledgers
    ]
    for name in merged_order([list(tree) for tree in trees]):
        found = [tree.get(name) for tree in trees]
        depth, entry = next(each for each in found if each is not None)
        if any(each is not None and is_sent(each[1]) for each in found):
            sent = [each[1] if each is not None else None for each in found]
            yield ComparisonRow(exact_segments(entry.wire_name), tuple(count_cells(sent)), depth)


def is_sent(entry: UsageLedgerEntry) -> bool:
    return entry.count is not UNSET or entry.odd is not UNSET


def count_cells(found: list[UsageLedgerEntry | None]) -> Iterator[ComparisonCell]:
    first = found[0].count if found[0] is not None else UNSET
    for entry in found:
        if entry is None or not is_sent(entry):
            yield ComparisonCell(NOT_SENT, tone="faint")
        elif entry.odd is not UNSET:
            yield ComparisonCell(value_text(entry), "not a count", "error")
        elif isinstance(entry.count, int):
            yield ComparisonCell(value_text(entry), count_difference(first, entry.count))
        else:
            yield ComparisonCell(value_text(entry), tone="faint")


def count_difference(first: object, count: int) -> str:
    """``+9`` or ``−3``; empty if equal or not comparable."""
    if not isinstance(first, int) or first == count:
        return ""
    return f"{count - first:+,}".replace("-", "−")


# -- money and what else stands in usage -----------------------------------------------------------


def cost_rows(ledgers: tuple[UsageLedger, ...]) -> Iterator[ComparisonRow]:
    stated = [
        {cost.name: cost.amount for cost in ledger.costs if not cost.is_derived}
        for ledger in ledgers
    ]
    for name in merged_order([list(each) for each in stated]):
        amounts = [each.get(name, UNSET) for each in stated]
        yield ComparisonRow(
            exact_segments(name), tuple(money_cell(amounts[0], amount) for amount in amounts)
        )


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


def extra_rows(sides: tuple[ComparedSide, ...]) -> Iterator[ComparisonRow]:
    """Fields of the usage object that are not counts."""
    found = [extras_of(side) for side in sides]
    for pointer in merged_order([list(each) for each in found]):
        cells = tuple(
            ComparisonCell(each[pointer])
            if pointer in each
            else ComparisonCell(NOT_SENT, tone="faint")
            for each in found
        )
        yield ComparisonRow(
            exact_segments(pointer), cells, is_muted=is_volatile(pointer), is_code=True
        )


def extras_of(side: ComparedSide) -> dict[str, str]:
    if side.analysis is None:
        return {}
    sent = side.analysis.usage
    odd = {pointer for pointer, _ in odd_counts(sent).values()}
    return {name: json_text(value) for name, value in sent.extras.items() if name not in odd}


# -- checks ----------------------------------------------------------------------------------------


def check_row(name: str, lines: list[LedgerLine | None]) -> ComparisonRow:
    line_found = next(line for line in lines if line is not None)
    return ComparisonRow(exact_segments(line_found.words), tuple(map(check_cell, lines)))


def check_cell(line: LedgerLine | None) -> ComparisonCell:
    if line is None:
        return ComparisonCell(UNCHECKED, tone="faint")
    tone = "error" if line.outcome is LedgerLineOutcome.BROKEN else ""
    return ComparisonCell(OUTCOMES[line.outcome], line.numbers, tone)
