"""One row of the archive list as the template renders it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from inspector.archive.listing.capture_values import CaptureRow, StateCounts
from inspector.archive.listing.filters import EMPTY_FINISH
from inspector.core.identity import created_at
from inspector.dashboard.charts.response_shape import ResponseShape, response_shape_of
from inspector.dashboard.cost_words import missing_words, reason_words
from inspector.formatting.humanize import moment, short_seconds, short_usd, usd
from inspector.formatting.verdicts import (
    UNFINISHED_STATES,
    UNREAD_REASONS,
    VerdictLabel,
    verdict_label,
)
from inspector.formatting.wire_values import ORDINARY_FINISHES, absent_word, finish_counts
from inspector.usage.rollup.queries import ComputedCost, TeamSums

MOST_FINISHES = 6
"""Different finish reasons that one row names."""


@dataclass(frozen=True, slots=True)
class ArchiveCell:
    """A value, or (``word``) a word such as "unknown" in its place."""

    text: str
    word: bool = False


@dataclass(frozen=True, slots=True)
class CostCell:
    """Cost of a capture; ``said`` is its tooltip: the full amount and its source, or the reason it
    is unknown.
    """

    text: str
    word: bool = False
    title: str = ""
    is_computed: bool = False
    is_lower_bound: bool = False


@dataclass(frozen=True, slots=True)
class FinishReasonCell:
    text: str
    is_ordinary: bool


@dataclass(frozen=True, slots=True)
class IdentityCell:
    """The provider's id of the response; ``title`` is its tooltip: created, fingerprint, seed."""

    text: str
    word: bool
    title: str


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    row: CaptureRow
    verdict: VerdictLabel
    unfinished: bool
    inspected: bool
    model: ArchiveCell
    finishes: tuple[FinishReasonCell, ...]
    prompt: ArchiveCell
    completion: ArchiveCell
    cost: CostCell
    first: ArchiveCell
    total: ArchiveCell
    shape: ResponseShape | None
    severities: tuple[tuple[str, int], ...]
    identity: IdentityCell


def build_rows(rows: Iterable[CaptureRow], sums: TeamSums) -> tuple[ArchiveRow, ...]:
    """Builds the rows; queries ``sums`` once, for all rows that state no cost."""
    found = tuple(rows)
    prices = sums.costs([r.id for r in found if r.verdict is not None and r.cost_usd is None])
    return tuple(build_row(row, prices.get(row.id)) for row in found)


def build_row(row: CaptureRow, price: ComputedCost | None = None) -> ArchiveRow:
    inspected = row.verdict is not None
    return ArchiveRow(
        row=row,
        verdict=verdict_label(row.state, row.verdict, row.result),
        unfinished=row.state in UNFINISHED_STATES,
        inspected=inspected,
        model=ArchiveCell(row.model)
        if row.model
        else ArchiveCell(absent_value_word(row), word=True),
        finishes=finish_reason_cells(row),
        prompt=token_cell(row, row.prompt_tokens),
        completion=token_cell(row, row.completion_tokens),
        cost=cost_cell(row, price),
        first=ArchiveCell(short_seconds(row.first_token_us), row.first_token_us is None),
        total=ArchiveCell(short_seconds(row.duration_us), row.duration_us is None),
        shape=response_shape_of(row) if inspected else None,
        severities=severity_counts(row),
        identity=identity_cell(row),
    )


def finish_reason_cells(row: CaptureRow) -> tuple[FinishReasonCell, ...]:
    """Each finish reason once, with the number of its choices: ``stop × 123``, ``length × 77``."""
    found = finish_counts(reason or EMPTY_FINISH for reason in row.finish_reasons)
    shown = [
        FinishReasonCell(text, reason in (*ORDINARY_FINISHES, "none"))
        for reason, text in found[:MOST_FINISHES]
    ]
    if len(found) > MOST_FINISHES:
        shown.append(FinishReasonCell(f"{len(found) - MOST_FINISHES} more", is_ordinary=True))
    return tuple(shown)


def token_cell(row: CaptureRow, number: int | None) -> ArchiveCell:
    return (
        ArchiveCell(absent_value_word(row), word=True)
        if number is None
        else ArchiveCell(f"{number:,}")
    )


def absent_value_word(row: CaptureRow) -> str:
    """Returns "unknown" if the body could not be read, else "not sent" as the dialect allows."""
    return "unknown" if row.verdict in UNREAD_REASONS else absent_word(row.dialect)


def cost_cell(row: CaptureRow, price: ComputedCost | None) -> CostCell:
    """Prefers the stated cost over the computed one."""
    if row.cost_usd is not None:
        return CostCell(short_usd(row.cost_usd), title=usd(row.cost_usd))
    if price is None:
        return CostCell("unknown", word=True)
    if price.computed_usd is None:
        why = reason_words(price.reason) if price.reason else ""
        title = "the body was not parsed" if row.verdict in UNREAD_REASONS else why
        return CostCell("unknown", word=True, title=title)
    title = f"{usd(price.computed_usd)}, computed by {price.table}"
    if price.missing:
        title = f"at least {title}, excludes {missing_words(price.missing)}"
    return CostCell(
        short_usd(price.computed_usd),
        title=title,
        is_computed=True,
        is_lower_bound=bool(price.missing),
    )


def identity_cell(row: CaptureRow) -> IdentityCell:
    created = created_at(row.created)
    facts = (
        row.provider_id or "",
        f"created {moment(created)}" if created else "",
        f"system_fingerprint {row.system_fingerprint}" if row.system_fingerprint else "",
        f"seed asked for {row.request_seed}" if row.request_seed is not None else "",
    )
    text = row.provider_id or absent_value_word(row)
    return IdentityCell(text, word=not row.provider_id, title=", ".join(filter(None, facts)))


def severity_counts(row: CaptureRow) -> tuple[tuple[str, int], ...]:
    counted = (
        ("error", row.error_count),
        ("warning", row.warning_count),
        ("info", row.info_count),
    )
    return tuple((severity, number) for severity, number in counted if number)


@dataclass(frozen=True, slots=True)
class StateCount:
    name: str
    number: int


def account_state_counts(account: StateCounts) -> tuple[int, tuple[StateCount, ...]]:
    """Returns the number of accepted captures and its breakdown by state.

    The two rare states (recording, deleted) are left out when 0.
    """
    terms = [
        StateCount("analysed", account.inspected),
        StateCount("processing", account.received + account.processing),
        StateCount("quarantined", account.quarantined),
    ]
    unusual = [StateCount("recording", account.recording), StateCount("deleted", account.deleted)]
    return account.accepted, (*terms, *(term for term in unusual if term.number))
