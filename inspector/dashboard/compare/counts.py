"""Usage beside each other, every count inside its whole, and the outcome of every check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation

from msgspec import UNSET

from inspector.core.invariants import Line, LineOutcome
from inspector.core.ledger import Entry, Ledger, entries, ledger_of, odd_counts
from inspector.dashboard.compare.named import ORDINALS, both
from inspector.dashboard.compare.section import Cell, Row, Section, clauses_of, table
from inspector.dashboard.compare.side import Side
from inspector.dashboard.compare.volatile import is_volatile
from inspector.dashboard.marks import exact
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.token_bars import said
from inspector.dashboard.wire import NOT_SENT, json_text, wire_word

OUTCOMES = {
    LineOutcome.HELD: "holds",
    LineOutcome.BROKEN: "does not hold",
    LineOutcome.UNDECIDABLE: "cannot be checked",
}
UNCHECKED = "not checked"


def usage(sides: tuple[Side, ...], ledgers: tuple[Ledger, ...]) -> Section:
    counts = tuple(count_rows(ledgers))
    others = (*cost_rows(ledgers), *extra_rows(sides))
    rows = (*counts, *others)
    if not rows:
        return Section("usage", "Usage", "No usage was sent on any side.", count="none")
    differing = sum(row.differs for row in rows)
    is_same = all(row.is_same for row in rows)
    sentence = f"The same on {both(len(sides))}: {plural(len(counts), 'count')}." if is_same else ""
    counted = clauses_of(
        counts, len(sides), "usage differs in {} count", "usage differs in {} counts"
    )
    beyond = clauses_of(others, len(sides), "{} other value of usage", "{} other values of usage")
    return Section(
        slug="usage",
        title="Usage",
        sentence=sentence,
        content=None if is_same else table("Usage on each side", ordinals(sides), rows),
        count=f"{differing}" if differing else "same",
        clauses=tuple(
            lone(ledgers[0], ledger, side) or "; ".join(filter(None, each))
            for ledger, side, *each in zip(ledgers[1:], sides[1:], counted, beyond, strict=True)
        ),
    )


def lone(first: Ledger, other: Ledger, side: Side) -> str:
    """Where one of two sent no usage at all, there is nothing to count."""
    if (first.total is None) == (other.total is None):
        return ""
    return f"usage only in the {side.ordinal if first.total is None else ORDINALS[0]}"


def checks(sides: tuple[Side, ...], ledgers: tuple[Ledger, ...]) -> Section | None:
    """None where there is nothing to check on any side."""
    lines = [{line.name: line for line in ledger.checked} for ledger in ledgers]
    names = in_order([list(each) for each in lines])
    if not names:
        return None
    every = [check_row(name, [each.get(name) for each in lines]) for name in names]
    rows = [row for row in every if row.differs]
    same = f"{plural(len(every) - len(rows), 'check')} with the same outcome"
    differently = clauses_of(
        rows, len(sides), "{} check comes out differently", "{} checks come out differently"
    )
    return Section(
        slug="checks",
        title="Checks",
        sentence=f"{same} on {both(len(sides))}." if len(rows) < len(every) else "",
        content=table("Checks on each side", ordinals(sides), rows) if rows else None,
        count=f"{len(rows)}" if rows else "same",
        clauses=tuple(
            "" if lone(ledgers[0], ledger, side) else told
            for ledger, side, told in zip(ledgers[1:], sides[1:], differently, strict=True)
        ),
    )


def ledgers_of(sides: Iterable[Side]) -> tuple[Ledger, ...]:
    return tuple(ledger_of(side.analysis) for side in sides if side.analysis is not None)


def ordinals(sides: tuple[Side, ...]) -> tuple[str, ...]:
    return tuple(side.ordinal for side in sides)


def in_order(lists: list[list[str]]) -> list[str]:
    """Every name once; what only a later list has stands behind what it follows there."""
    followers: dict[str | None, str | None] = {None: None}
    for names in lists:
        last = None
        for name in names:
            if name not in followers:
                followers[name], followers[last] = followers[last], name
            last = name
    return list(_walked(followers))


def _walked(followers: Mapping[str | None, str | None]) -> Iterator[str]:
    """Each name and what follows it, from the first."""
    name = followers[None]
    while name is not None:
        yield name
        name = followers[name]


# -- counts ----------------------------------------------------------------------------------------


def count_rows(ledgers: tuple[Ledger, ...]) -> Iterator[Row]:
    """What the sides sent, wholes before their parts."""
    trees = [
        {entry.name: (depth, entry) for depth, entry in entries(each) if not entry.is_derived}
        for each in ledgers
    ]
    for name in in_order([list(tree) for tree in trees]):
        found = [tree.get(name) for tree in trees]
        depth, entry = next(each for each in found if each is not None)
        if any(each is not None and is_sent(each[1]) for each in found):
            sent = [each[1] if each is not None else None for each in found]
            yield Row(exact(entry.wire_name), tuple(count_cells(sent)), depth)


def is_sent(entry: Entry) -> bool:
    return entry.count is not UNSET or entry.odd is not UNSET


def count_cells(found: list[Entry | None]) -> Iterator[Cell]:
    first = found[0].count if found[0] is not None else UNSET
    for entry in found:
        if entry is None or not is_sent(entry):
            yield Cell(NOT_SENT, tone="faint")
        elif entry.odd is not UNSET:
            yield Cell(said(entry), "not a count", "error")
        elif isinstance(entry.count, int):
            yield Cell(said(entry), by_how_much(first, entry.count))
        else:
            yield Cell(said(entry), tone="faint")


def by_how_much(first: object, count: int) -> str:
    """``+9``, ``−3``; empty where they are the same or there is nothing to count from."""
    if not isinstance(first, int) or first == count:
        return ""
    return f"{count - first:+,}".replace("-", "−")


# -- money and what else stands in usage -----------------------------------------------------------


def cost_rows(ledgers: tuple[Ledger, ...]) -> Iterator[Row]:
    stated = [
        {cost.name: cost.amount for cost in ledger.costs if not cost.is_derived}
        for ledger in ledgers
    ]
    for name in in_order([list(each) for each in stated]):
        amounts = [each.get(name, UNSET) for each in stated]
        yield Row(exact(name), tuple(money_cell(amounts[0], amount) for amount in amounts))


def money_cell(first: object, amount: object) -> Cell:
    tone = "" if isinstance(amount, str) else "faint"
    return Cell(wire_word(amount), how_much_more(first, amount), tone)


def how_much_more(first: object, amount: object) -> str:
    if not isinstance(first, str) or not isinstance(amount, str) or first == amount:
        return ""
    try:
        more = Decimal(amount) - Decimal(first)
    except InvalidOperation:
        return ""
    is_plain = more.is_finite() and abs(more.adjusted()) < 30
    return f"{more:+f}".replace("-", "−") if is_plain else ""


def extra_rows(sides: tuple[Side, ...]) -> Iterator[Row]:
    """Fields of the usage object that are no counts."""
    found = [extras_of(side) for side in sides]
    for pointer in in_order([list(each) for each in found]):
        cells = tuple(
            Cell(each[pointer]) if pointer in each else Cell(NOT_SENT, tone="faint")
            for each in found
        )
        yield Row(exact(pointer), cells, is_muted=is_volatile(pointer), is_code=True)


def extras_of(side: Side) -> dict[str, str]:
    if side.analysis is None:
        return {}
    sent = side.analysis.usage
    odd = {pointer for pointer, _ in odd_counts(sent).values()}
    return {name: json_text(value) for name, value in sent.extras.items() if name not in odd}


# -- checks ----------------------------------------------------------------------------------------


def check_row(name: str, lines: list[Line | None]) -> Row:
    told = next(line for line in lines if line is not None)
    return Row(exact(told.words), tuple(map(check_cell, lines)))


def check_cell(line: Line | None) -> Cell:
    if line is None:
        return Cell(UNCHECKED, tone="faint")
    tone = "error" if line.outcome is LineOutcome.BROKEN else ""
    return Cell(OUTCOMES[line.outcome], line.numbers, tone)
