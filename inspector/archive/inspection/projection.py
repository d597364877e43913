"""Turns an analysis into the rows that lists and filters need. Pure: stores nothing."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from inspector.archive.models import (
    Capture,
    ChoiceRow,
    Document,
    FindingRow,
    Inspection,
    RequestIdRow,
)
from inspector.archive.readers.extract import Extract, RequestFacts
from inspector.core.analysis import Analysis, Stall
from inspector.core.answer.analysis_changes import TIME_FIELDS
from inspector.core.answer.answer_line import (
    BLANK_CHARACTERS,
    LINE_CHARACTERS,
    answer_line,
)
from inspector.core.completion import Choice, known
from inspector.core.fields.identity import created_at
from inspector.core.findings import Finding, Severity
from inspector.core.json import Json
from inspector.core.request.correlation import MAX_CHARACTERS as CORRELATION_CHARACTERS
from inspector.core.request.correlation import CorrelationKind, correlation_of
from inspector.core.request.outline import PromptOutline
from inspector.core.search.searchable_texts import TextsByKind
from inspector.core.search.word_parts import WordPart
from inspector.core.tokens.money import exact_sum
from inspector.core.wire.request_ids import MAX_CHARACTERS
from inspector.database.column_text import clean_name_or_none, clean_text, clean_text_or_none

READING = "reading"
"""Source of the findings that reading itself makes."""
# Lengths of the columns: PostgreSQL refuses what is longer, SQLite keeps it.
NAME_CHARACTERS = 63
MODEL_CHARACTERS = 500
"""Names of models may be paths and ARNs."""
FINGERPRINT_CHARACTERS = 200
MESSAGE_CHARACTERS = 1_000
# Rows are for lists and filters: an answer of very many choices must not fill the tables.
CHOICE_ROWS = 200
FINDING_ROWS = 200
# The largest number that a column of either database holds (64 bits); providers send larger ones.
LARGEST = 2**63 - 1
NO_FINISH = "none"
CORRELATION_COLUMNS = {
    CorrelationKind.SESSION: "session",
    CorrelationKind.TRACE: "trace",
    CorrelationKind.SPAN: "span",
    CorrelationKind.USER: "end_user",
}

# As in "0.00012", "1.2e-5".
_MONEY = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,2})?")


@dataclass(frozen=True, slots=True)
class ProjectionRows:
    """The whole projection of one capture."""

    inspection: Inspection
    document: Document
    choices: tuple[ChoiceRow, ...]
    findings: tuple[FindingRow, ...]
    request_ids: tuple[RequestIdRow, ...] = ()
    """Empty where the rows were loaded from the database: nobody compares them."""
    analysis: Analysis | None = None
    """The analysis the rows were made from; None where the rows were loaded from the database."""
    texts: TextsByKind = field(default_factory=dict)
    """Texts that the capture is found by; empty where the rows were loaded from the database."""
    word_parts: tuple[WordPart, ...] = ()
    """The words of the texts. Cut here, where no transaction waits for it."""
    outline: PromptOutline | None = None
    """That of the request's prompt; None without one, and for rows loaded from the database."""


def project(capture: Capture, found: Extract) -> ProjectionRows:
    analysis = found.analysis
    return ProjectionRows(
        inspection=_inspection(capture, found),
        document=Document(capture=capture, readout=found.packed),
        choices=tuple(_choices(capture, analysis.choices)),
        findings=tuple(_findings(capture, analysis.findings)),
        request_ids=tuple(_request_ids(capture, found)),
        analysis=analysis,
        texts=found.texts,
        word_parts=found.word_parts,
        outline=found.outline,
    )


def _inspection(capture: Capture, found: Extract) -> Inspection:
    analysis, request = found.analysis, found.request
    model = clean_name_or_none(analysis.model or None, MODEL_CHARACTERS)
    request_model = clean_name_or_none(request.model or None, MODEL_CHARACTERS)
    return Inspection(
        capture=capture,
        team_id=capture.team_id,
        called_at=capture.called_at,
        analysis_version=analysis.analysis_version,
        tried_version=analysis.analysis_version,
        verdict=analysis.verdict,
        result=analysis.result,
        dialect=clean_text_or_none(analysis.dialect, NAME_CHARACTERS),
        vendor=clean_text_or_none(analysis.vendor, NAME_CHARACTERS),
        object=clean_text(analysis.object, NAME_CHARACTERS),
        streamed=analysis.streamed,
        model=model,
        request_model=request_model,
        named_model=model or request_model,
        response_id=clean_text_or_none(analysis.identity.id, MODEL_CHARACTERS),
        created=_created_seconds(analysis.identity.created),
        system_fingerprint=clean_name_or_none(
            analysis.identity.system_fingerprint or None, FINGERPRINT_CHARACTERS
        ),
        request_seed=_integer_or_none(request.seed),
        prompt_sha256=request.prompt_sha256,
        prompt_line=clean_text_or_none(request.prompt_line, LINE_CHARACTERS),
        **_correlation_columns(capture, request),
        choice_count=len(analysis.choices),
        finish_reasons=[_finish_reason(c) for c in analysis.choices[:CHOICE_ROWS]],
        cost_usd=_sum_of_costs(analysis.choices),
        **_answer_columns(analysis),
        **_usage_columns(analysis),
        **_time_columns(analysis),
        **_counts(analysis.findings),
    )


def _correlation_columns(capture: Capture, request: RequestFacts) -> dict[str, str | None]:
    # The metadata of the sender comes before what the request says.
    stated = {**request.correlation, **correlation_of(capture.metadata, None, None)}
    return {
        column: clean_name_or_none(stated[kind].value, CORRELATION_CHARACTERS)
        for kind, column in CORRELATION_COLUMNS.items()
        if kind in stated
    }


def _answer_columns(analysis: Analysis) -> dict[str, str | None]:
    line = answer_line(analysis)
    return {
        "answer_kind": line.kind,
        "answer_line": clean_text(line.text, LINE_CHARACTERS),
        "answer_blank": clean_text_or_none(line.blank, BLANK_CHARACTERS),
    }


def _usage_columns(analysis: Analysis) -> dict[str, Any]:
    usage = analysis.usage
    names = (
        "prompt_tokens",
        "completion_tokens",
        "total_tokens",
        "cached_tokens",
        "reasoning_tokens",
    )
    counts = {name: _integer_or_none(getattr(usage, name)) for name in names}
    return {"usage_reported": usage.reported, **counts}


def _time_columns(analysis: Analysis) -> dict[str, Any]:
    timeline = analysis.timeline
    stall = max(timeline.stalls, key=_length, default=None)
    return {
        "clock": timeline.clock,
        "stall_start_us": _integer_or_none(stall.start_us) if stall else None,
        "stall_end_us": _integer_or_none(stall.end_us) if stall else None,
        **{name: _integer_or_none(getattr(timeline, name)) for name in TIME_FIELDS},
    }


def _length(stall: Stall) -> int:
    return stall.end_us - stall.start_us


def _counts(findings: Iterable[Finding]) -> dict[str, int]:
    counts = {f"{severity}_count": 0 for severity in Severity}
    for finding in findings:
        counts[f"{finding.severity}_count"] += 1
    return counts


def _choices(capture: Capture, choices: tuple[Choice, ...]) -> Iterable[ChoiceRow]:
    for position, choice in enumerate(choices[:CHOICE_ROWS]):
        yield ChoiceRow(
            capture=capture,
            position=position,
            index=_integer_or_none(choice.index),
            finish_reason=_finish_reason(choice),
            tool_call_count=len(choice.tool_calls),
            cost_usd=clean_text_or_none(choice.cost_usd, NAME_CHARACTERS),
        )


def _request_ids(capture: Capture, found: Extract) -> Iterable[RequestIdRow]:
    values = (clean_text(value, MAX_CHARACTERS) for value in found.request_ids)
    for value in dict.fromkeys(values):
        yield RequestIdRow(capture=capture, value=value)


def _findings(capture: Capture, findings: tuple[Finding, ...]) -> Iterable[FindingRow]:
    for position, finding in enumerate(findings[:FINDING_ROWS]):
        yield finding_row(capture.pk, READING, position, finding)


def finding_row(capture_id: UUID, source: str, position: int, finding: Finding) -> FindingRow:
    return FindingRow(
        capture_id=capture_id,
        source=source,
        position=position,
        code=finding.code,
        severity=finding.severity,
        message=clean_text(finding.message, MESSAGE_CHARACTERS),
        pointer=clean_text_or_none(finding.where.pointer, MESSAGE_CHARACTERS),
        event=_integer_or_none(finding.where.event),
        byte_start=_integer_or_none(finding.where.byte_start),
        byte_end=_integer_or_none(finding.where.byte_end),
    )


def _finish_reason(choice: Choice) -> str:
    reason = choice.finish_reason
    if not known(reason):
        return NO_FINISH
    return clean_text(reason if isinstance(reason, str) else repr(reason)[:100], NAME_CHARACTERS)


def _created_seconds(created: Json) -> int | None:
    """When the provider made the answer, in whole Unix seconds; None if it stated no moment."""
    if not isinstance(created, str):
        return _integer_or_none(created)
    at = created_at(created)
    return None if at is None else int(at.timestamp())


def _integer_or_none(value: Any) -> int | None:
    # Numbers too large for a column remain in the document.
    if isinstance(value, int) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST:
        return value
    return None


def _sum_of_costs(choices: Iterable[Choice]) -> str | None:
    """Return the choices' stated costs added up; None where one states none, or no plain amount."""
    stated = [choice.cost_usd for choice in choices]
    if not stated or not all(isinstance(c, str) and _MONEY.fullmatch(c) for c in stated):
        return None
    if len(stated) == 1:
        return clean_text_or_none(stated[0], NAME_CHARACTERS)
    total = exact_sum(map(str, stated))
    return total if total is not None and len(total) <= NAME_CHARACTERS else None
