"""A line of the archive as it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from inspector.archive.values import Account, CaptureRow
from inspector.dashboard.cost_words import missing_words, reason_words
from inspector.dashboard.panels import ILLEGIBLE
from inspector.dashboard.shape import Shape, shape_of
from inspector.dashboard.templatetags.formats import short_seconds, short_usd, usd
from inspector.dashboard.verdicts import UNFINISHED_STATES, Word, word_for
from inspector.dashboard.wire import ORDINARY_FINISHES, absent_word
from inspector.usage.queries import ComputedCost, TeamSums


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, or the word that stands in its place."""

    text: str
    word: bool = False


@dataclass(frozen=True, slots=True)
class Cost:
    """``said`` is the amount in full, with whose rates made it, or why there is none."""

    text: str
    word: bool = False
    said: str = ""
    is_computed: bool = False
    is_lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class Finish:
    text: str
    ordinary: bool


@dataclass(frozen=True, slots=True)
class ShownRow:
    row: CaptureRow
    verdict: Word
    unfinished: bool
    inspected: bool
    model: Cell
    finishes: tuple[Finish, ...]
    prompt: Cell
    completion: Cell
    cost: Cost
    first: Cell
    total: Cell
    shape: Shape | None
    severities: tuple[tuple[str, int], ...]


def shown_rows(rows: Iterable[CaptureRow], sums: TeamSums) -> tuple[ShownRow, ...]:
    """``sums`` is asked once, for the rows that state no cost."""
    found = tuple(rows)
    prices = sums.costs([r.id for r in found if r.verdict is not None and r.cost_usd is None])
    return tuple(shown_row(row, prices.get(row.id)) for row in found)


def shown_row(row: CaptureRow, price: ComputedCost | None = None) -> ShownRow:
    inspected = row.verdict is not None
    return ShownRow(
        row=row,
        verdict=word_for(row.state, row.verdict),
        unfinished=row.state in UNFINISHED_STATES,
        inspected=inspected,
        model=Cell(row.model) if row.model else Cell(absent(row), word=True),
        finishes=finishes(row),
        prompt=tokens(row, row.prompt_tokens),
        completion=tokens(row, row.completion_tokens),
        cost=cost(row, price),
        first=Cell(short_seconds(row.first_token_us), row.first_token_us is None),
        total=Cell(short_seconds(row.duration_us), row.duration_us is None),
        shape=shape_of(row) if inspected else None,
        severities=severities(row),
    )


def finishes(row: CaptureRow) -> tuple[Finish, ...]:
    """Equal reasons that follow one another once, with their number."""
    shown = []
    for reason, same in groupby(row.finish_reasons):
        times = len(list(same))
        text = reason if times == 1 else f"{reason} × {times}"
        shown.append(Finish(text, reason in (*ORDINARY_FINISHES, "none")))
    return tuple(shown)


def tokens(row: CaptureRow, number: int | None) -> Cell:
    return Cell(absent(row), word=True) if number is None else Cell(f"{number:,}")


def absent(row: CaptureRow) -> str:
    """Of a body that could not be read nobody knows what was sent."""
    return "unknown" if row.verdict in ILLEGIBLE else absent_word(row.dialect)


def cost(row: CaptureRow, price: ComputedCost | None) -> Cost:
    """As stated, else as computed."""
    if row.cost_usd is not None:
        return Cost(short_usd(row.cost_usd), said=usd(row.cost_usd))
    if price is None:
        return Cost("unknown", word=True)
    if price.computed_usd is None:
        why = "the body was not parsed" if row.verdict in ILLEGIBLE else price.reason
        return Cost("unknown", word=True, said=why or "")
    said = f"{usd(price.computed_usd)}, computed by {price.table}"
    if price.missing:
        said = f"at least {said}, excludes {price.missing}"
    return Cost(
        short_usd(price.computed_usd),
        said=said,
        is_computed=True,
        is_lower_bound=bool(price.missing),
    )


def severities(row: CaptureRow) -> tuple[tuple[str, int], ...]:
    counted = (
        ("error", row.error_count),
        ("warning", row.warning_count),
        ("info", row.info_count),
    )
    return tuple((severity, number) for severity, number in counted if number)


@dataclass(frozen=True, slots=True)
class Term:
    name: str
    number: int


def account_terms(account: Account) -> tuple[int, tuple[Term, ...]]:
    """What was received and what became of it; terms that are 0 are named only where usual."""
    terms = [
        Term("analysed", account.inspected),
        Term("processing", account.received + account.processing),
        Term("quarantined", account.quarantined),
    ]
    unusual = [Term("recording", account.recording), Term("deleted", account.deleted)]
    return account.accepted, (*terms, *(term for term in unusual if term.number))
