"""One row of the archive list as the template renders it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from django.utils import timezone

from inspector.archive.listing.capture_fields import EMPTY_FINISH
from inspector.archive.listing.capture_values import CaptureRow, StateCounts, place_of
from inspector.archive.listing.running_captures import RunningCapture
from inspector.archive.listing.worst_findings import WorstFinding
from inspector.archive.queries import Captures
from inspector.core.answer.answer_line import AnswerLineKind
from inspector.core.completion import Result
from inspector.core.fields.identity import created_at
from inspector.core.findings import Severity, shorten
from inspector.dashboard.archive.answer_cell import (
    AnswerCell,
    RowSnippet,
    answer_cell,
    prompt_parts,
)
from inspector.dashboard.charts.response_shape import (
    ResponseShape,
    response_shape_of,
    running_shape,
)
from inspector.dashboard.text.cost_labels import reason_words, table_words, unpriced_items_words
from inspector.formatting.humanize import (
    clock,
    day_words,
    least_usd,
    moment,
    plural,
    short_seconds,
    short_usd,
    size,
    usd,
)
from inspector.formatting.invisible_characters import TextSegment, prose_segments
from inspector.formatting.verdicts import (
    RECORDING_STATE,
    UNFINISHED_STATES,
    UNREAD_REASONS,
    ListSign,
    list_signs,
)
from inspector.formatting.wire_values import NOT_SENT, finish_counts, is_ordinary_finish
from inspector.usage.cost.money import TICKS, plain, ticks
from inspector.usage.rollup.queries import ComputedCost, TeamSums

MAX_FINISHES = 6
"""Different finish reasons that one row names."""
MAX_FINDING_CHARACTERS = 140
"""A row has one line for it; the capture's own panel has all."""
DAY = timedelta(days=1)
SEVERITY_WORDS = {"error": "error", "warning": "warning", "info": "note"}
SAID_BY: Mapping[str, str] = {
    Result.EMPTY: "choice.says-nothing",
    Result.TRUNCATED: "choice.finish-length",
}
"""Rules whose finding only repeats a result."""
UNANSWERED = (AnswerLineKind.ERROR, AnswerLineKind.NOTHING)
"""Kinds of lines that say why there is no answer, as the finding does."""
NO_SNIPPETS: Mapping[UUID, RowSnippet] = {}


@dataclass(frozen=True, slots=True)
class ArchiveCell:
    """A value, or (``word``) a word such as "unknown" in its place."""

    text: str
    word: bool = False


@dataclass(frozen=True, slots=True)
class CostCell:
    """Cost of a capture; ``said`` is its tooltip: full amount and source, or why it is unknown."""

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
class FindingCell:
    """The worst warning or error in words; ``others`` counts the rest, ``title`` all of them."""

    severity: str
    message: tuple[TextSegment, ...]
    others: int
    title: str


@dataclass(frozen=True, slots=True)
class ArchiveRow:
    row: CaptureRow
    sign: ListSign
    """The result, as it is counted beside the list; the state as long as there is none."""
    ended: str
    """Result and verdict."""
    answer: AnswerCell
    question: tuple[TextSegment, ...]
    """The last line of the prompt."""
    finding: FindingCell | None
    day: str
    """The day of the call, empty if it is less than a day ago: the row tells its age then."""
    unfinished: bool
    inspected: bool
    model: ArchiveCell
    finishes: tuple[FinishReasonCell, ...]
    prompt: ArchiveCell
    completion: ArchiveCell
    size: str
    cost: CostCell
    first: ArchiveCell
    total: ArchiveCell
    shape: ResponseShape | None
    identity: IdentityCell
    so_far: str
    """How much has come of a response that is still recorded; empty for others."""
    running: RunningCapture | None = None
    """Further facts of a response that is still recorded."""

    @property
    def place(self) -> str:
        """Its place in the list, to be compared as a text."""
        return str(place_of(self.row))

    @property
    def is_recording(self) -> bool:
        return self.row.state == RECORDING_STATE

    @property
    def when(self) -> tuple[str, str]:
        """Day of the call, empty where it is the last one, and clock."""
        at = self.row.called_at
        return _day_and_clock(at) if self.day else ("", clock(at))

    @property
    def arrived(self) -> tuple[str, str] | None:
        """Day and clock where it was sent here long after the call, as from a file."""
        return _day_and_clock(self.row.received_at) if self.row.came_late else None


def _day_and_clock(at: datetime) -> tuple[str, str]:
    return f"{at:%d %b}", f"{at:%H:%M}"


def build_rows(
    rows: Iterable[CaptureRow],
    sums: TeamSums,
    captures: Captures,
    snippets: Mapping[UUID, RowSnippet] = NO_SNIPPETS,
) -> tuple[ArchiveRow, ...]:
    """Build the rows; asks ``sums`` and worst findings once for all. ``snippets``: by capture."""
    found = tuple(rows)
    prices = sums.costs([r.id for r in found if r.verdict is not None and not states_cost(r)])
    findings = captures.worst_findings([r.id for r in found if severity_counts(r)])
    running = running_by_id(found, captures)
    return tuple(
        build_row(
            row, prices.get(row.id), running.get(row.id), findings.get(row.id), snippets.get(row.id)
        )
        for row in found
    )


def running_by_id(rows: Iterable[CaptureRow], captures: Captures) -> Mapping[UUID, RunningCapture]:
    """Ask only where one of the rows is being recorded."""
    if not any(row.state == RECORDING_STATE for row in rows):
        return {}
    return {each.id: each for each in captures.running()}


def build_row(
    row: CaptureRow,
    price: ComputedCost | None = None,
    running: RunningCapture | None = None,
    finding: WorstFinding | None = None,
    snippet: RowSnippet | None = None,
) -> ArchiveRow:
    result, verdict = list_signs(row.state, row.verdict, row.result)
    return ArchiveRow(
        row=row,
        sign=result or verdict,
        ended=", ".join(each.text for each in (result, verdict) if each),
        answer=answer_cell(row, snippet),
        question=prompt_parts(row),
        finding=finding_cell(row, finding),
        day="" if timezone.now() - row.called_at < DAY else day_words(row.called_at),
        unfinished=row.state in UNFINISHED_STATES,
        inspected=row.verdict is not None,
        model=model_cell(row),
        finishes=finish_reason_cells(row),
        prompt=token_cell(row, row.prompt_tokens),
        completion=token_cell(row, row.completion_tokens),
        size=size(row.byte_length),
        cost=cost_cell(row, price),
        first=ArchiveCell(short_seconds(row.first_token_us), row.first_token_us is None),
        total=ArchiveCell(short_seconds(row.duration_us), row.duration_us is None),
        shape=shape_of(row, running),
        identity=identity_cell(row),
        so_far=so_far_words(row) if row.state == RECORDING_STATE else "",
        running=running,
    )


def model_cell(row: CaptureRow) -> ArchiveCell:
    if row.model:
        return ArchiveCell(row.model)
    asked = f"asked: {row.request_model}" if row.request_model else absent_value_word(row)
    return ArchiveCell(asked, word=True)


def finding_cell(row: CaptureRow, finding: WorstFinding | None) -> FindingCell | None:
    """None where nothing is worse than a note, or the row's sign and answer say it already."""
    if finding is None or finding.severity == Severity.INFO or is_said(row, finding):
        return None
    counts = dict(severity_counts(row))
    others = sum(counts.values()) - counts.get(Severity.INFO, 0) - 1
    title = ", ".join(plural(number, SEVERITY_WORDS[name]) for name, number in counts.items())
    message = prose_segments(shorten(finding.message, MAX_FINDING_CHARACTERS))
    return FindingCell(finding.severity, message, max(others, 0), f"{finding.code} ({title})")


def is_said(row: CaptureRow, finding: WorstFinding) -> bool:
    """Tell whether the result says it, or the answer's line, which says why there is none."""
    if finding.code == "envelope.provider-error":
        return row.answer_kind == AnswerLineKind.ERROR
    line = (row.answer_line or "").rstrip("…")
    if row.answer_kind in UNANSWERED and line and finding.message.startswith(line):
        return True
    return SAID_BY.get(row.result or "") == finding.code


def so_far_words(row: CaptureRow) -> str:
    return f"{size(row.byte_length)} so far" if row.byte_length else "no byte yet"


def shape_of(row: CaptureRow, running: RunningCapture | None) -> ResponseShape | None:
    if row.verdict is not None:
        return response_shape_of(row)
    return None if running is None else running_shape(running.first_us, running.last_us)


def finish_reason_cells(row: CaptureRow) -> tuple[FinishReasonCell, ...]:
    """Each finish reason once, with the number of its choices: ``stop × 123``, ``length × 77``."""
    found = finish_counts(reason or EMPTY_FINISH for reason in row.finish_reasons)
    shown = [
        FinishReasonCell(text, reason == "none" or is_ordinary_finish(reason))
        for reason, text in found[:MAX_FINISHES]
    ]
    if len(found) > MAX_FINISHES:
        shown.append(FinishReasonCell(f"{len(found) - MAX_FINISHES} more", is_ordinary=True))
    return tuple(shown)


def token_cell(row: CaptureRow, number: int | None) -> ArchiveCell:
    return (
        ArchiveCell(absent_value_word(row), word=True)
        if number is None
        else ArchiveCell(f"{number:,}")
    )


def absent_value_word(row: CaptureRow) -> str:
    """Return "unknown" if the body could not be read, else "not sent" as the dialect allows."""
    return "unknown" if row.verdict in UNREAD_REASONS else NOT_SENT


def states_cost(row: CaptureRow) -> bool:
    """Return True if all choices state a cost, and their sum is one that an answer can have."""
    return row.cost_usd is not None and ticks(Decimal(row.cost_usd)) is not None


def cost_cell(row: CaptureRow, price: ComputedCost | None) -> CostCell:
    """Prefer the stated cost over the computed one."""
    if row.cost_usd is not None and states_cost(row):
        return CostCell(short_usd(row.cost_usd), title=usd(row.cost_usd))
    if price is None:
        return CostCell("unknown", word=True)
    if (stated := stated_elsewhere(price)) is not None:
        return CostCell(short_usd(stated), title=f"{usd(stated)}, stated in usage")
    if price.computed_usd is None:
        why = reason_words(price.reason) if price.reason else ""
        title = "the body was not parsed" if row.verdict in UNREAD_REASONS else why
        return CostCell("unknown", word=True, title=title)
    title = f"{usd(price.computed_usd)}, computed by {table_words(price.table)}"
    if price.unpriced_items:
        title = f"at least {title}, excludes {unpriced_items_words(price.unpriced_items)}"
    # "At least less than" says nothing.
    words = least_usd if price.unpriced_items else short_usd
    return CostCell(
        words(price.computed_usd),
        title=title,
        is_computed=True,
        is_lower_bound=bool(price.unpriced_items),
    )


def stated_elsewhere(price: ComputedCost) -> str | None:
    """Return the cost that usage states, None if none is listed but the computed one."""
    computed = Decimal(price.computed_usd) if price.computed_usd is not None else None
    if price.listed_ticks is None or price.listed_ticks == ticks(computed):
        return None
    return plain(Decimal(price.listed_ticks) / TICKS)


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
    counted = (("error", row.error_count), ("warning", row.warning_count), ("info", row.info_count))
    return tuple((severity, number) for severity, number in counted if number)


@dataclass(frozen=True, slots=True)
class StateCount:
    name: str
    number: int


WAITING, GONE = "waiting to be analysed", "deleted"


def account_state_counts(account: StateCounts) -> tuple[int, tuple[StateCount, ...]]:
    """Return the number of accepted captures, and by state; rare states are left out when 0."""
    terms = [
        StateCount("analysed", account.inspected),
        StateCount(WAITING, account.received + account.processing),
        StateCount("quarantined", account.quarantined),
    ]
    unusual = [StateCount("recording", account.recording), StateCount(GONE, account.deleted)]
    return account.accepted, (*terms, *(term for term in unusual if term.number))
