"""Frozen values that the archive returns, and their construction from rows."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import msgspec

from inspector.archive.listing.cursor import Cursor
from inspector.archive.listing.same_prompt import SamePrompt
from inspector.archive.listing.siblings import Siblings
from inspector.archive.member_types import Moment, codes
from inspector.archive.models import Capture, Inspection, State
from inspector.archive.readouts import TruncatedValue
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.analysis import Analysis
from inspector.core.answer.answer_line import AnswerLineKind
from inspector.core.credentials.removal import Removal
from inspector.core.findings import Finding
from inspector.core.json import Json
from inspector.core.redaction_mark import Redaction
from inspector.core.wire.exchange import (
    Headers,
    MeasuredBy,
    Request,
    TransportFault,
    TransportOutcome,
)
from inspector.teams.access import ShareAccess

SENT_AT_ONCE = timedelta(minutes=10)


class CaptureRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of the capture list; null for a value that was not sent, or is not known yet."""

    id: UUID
    called_at: Moment
    """When the call was made: ``started_at`` where that can be, else ``received_at``. Lists and
    sums go by it.
    """
    received_at: Moment
    """When it was stored first. Later than ``received_at`` of whatever the team had stored
    before.
    """
    started_at: Moment | None
    """When the request began, as its sender or the proxy says."""
    state: Annotated[str, codes(State)]
    byte_length: int
    redactions: int
    """Passages that rules of the team overwrote in it."""
    tags: tuple[str, ...]
    verdict: str | None
    result: str | None
    dialect: str | None
    vendor: str | None
    model: str | None
    """The model that answered; null where the response names none, as most errors do."""
    request_model: str | None
    """The model that the request names, where the request is known."""
    streamed: bool | None
    choice_count: int | None
    finish_reasons: tuple[str, ...]
    """One per choice in order; "none" for a choice without one."""
    usage_reported: bool | None
    prompt_tokens: int | None
    completion_tokens: int | None
    cost_usd: str | None
    clock: str | None
    first_byte_us: int | None
    first_reasoning_us: int | None
    first_content_us: int | None
    first_tool_call_us: int | None
    first_token_us: int | None
    duration_us: int | None
    stall_start_us: int | None
    stall_end_us: int | None
    """Start and end of the longest stall."""
    error_count: int
    warning_count: int
    info_count: int
    provider_id: str | None
    """The provider's own id of the response."""
    object: str | None
    """Kind of the response by its format: ``chat.completion``, ``error``, ``unknown`` …"""
    created: int | None
    """As sent, in Unix seconds by the documents; null if it is no whole number."""
    system_fingerprint: str | None
    request_seed: int | None
    """The request's ``seed``, without which two fingerprints do not explain two answers."""
    key: str | None
    """Name of the API key that sent it."""
    answer_kind: Annotated[str, codes(AnswerLineKind)] | None
    """Kind of ``answer_line``."""
    answer_line: str | None
    """The answer's beginning on one line; ``AnswerLineKind`` says what stands in its place."""
    answer_blank: str | None
    """The content of an answer without text, as JSON."""
    prompt_line: str | None
    """The beginning of the last text that a user wrote."""
    body_deleted_at: Moment | None
    """When a retention rule deleted what was sent. Null: it is there."""

    @property
    def came_late(self) -> bool:
        """As from a file: whoever sends a call at its end sends it sooner."""
        return self.received_at - self.called_at > SENT_AT_ONCE


@dataclass(frozen=True, slots=True)
class CaptureList:
    """One page of the capture list; ``older`` is the cursor of the next page."""

    rows: tuple[CaptureRow, ...]
    older: str | None
    newest: str | None
    """Cursor to ask later for what came after, where this is what came after another one."""
    stopped_at: datetime | None = None
    """The call of the last capture that was looked through, where the time for all was not enough;
    ``older`` then goes on from there, in a list by calls.
    """


@dataclass(frozen=True, slots=True)
class StateCounts:
    """accepted = recording + received + processing + inspected + quarantined + deleted."""

    recording: int
    received: int
    processing: int
    inspected: int
    quarantined: int
    deleted: int

    @property
    def accepted(self) -> int:
        return (
            self.recording
            + self.received
            + self.processing
            + self.inspected
            + self.quarantined
            + self.deleted
        )


@dataclass(frozen=True, slots=True)
class UninspectedCount:
    """Captures that were received and are not inspected; without ``is_all`` there are more."""

    captures: int
    quarantined: int
    is_all: bool


@dataclass(frozen=True)
class CaptureFacts:
    """All stored facts of one capture, without its bytes."""

    row: CaptureRow
    team_slug: str
    team_name: str
    content_type: str | None
    status_code: int | None
    sha256: str
    note: str
    source: str | None
    """Name of the API key that sent it, None where a command stored it."""
    request_model: str | None
    """The model named in the request, where the request is known."""
    prompt_sha256: str | None
    """Equal for requests of equal prompts; None where none is known."""
    same_bytes_as: tuple[UUID, ...]
    """Other captures of this team with equal bytes, newest first, five at most."""
    newer: UUID | None
    older: UUID | None
    analysis: Analysis | None
    """None until inspected, and while it is read again because it cannot be loaded."""
    quarantine_reason: str | None
    cuts: tuple[TruncatedValue, ...] = ()
    """Values of the analysis that are kept only in part."""
    metadata: dict[str, Json] = field(default_factory=dict)
    outcome: TransportOutcome = TransportOutcome.ENDED
    started_at: datetime | None = None
    """When the request began, as its sender or the proxy says."""
    finished_at: datetime | None = None
    """When the end of the exchange was stored; None while it is recorded."""
    fault: TransportFault | None = None
    """Fault that kept the proxy from carrying the call to its end."""
    total_bytes: int | None = None
    """Length of the whole body, where only its beginning was kept."""
    measured_by: MeasuredBy | None = None
    """Who stood where the call could be measured, as stated; there may be no times."""
    upstream: str | None = None
    """The name of the team's upstream that the proxy called."""
    session: str | None = None
    """As the sender states it, like trace, span and end user."""
    trace: str | None = None
    span: str | None = None
    end_user: str | None = None
    session_siblings: Siblings | None = None
    """Captures of the same session; None where none is stated."""
    trace_siblings: Siblings | None = None
    span_siblings: Siblings | None = None
    retry_of: UUID | None = None
    """The failed call that this one repeats."""
    retried_by: tuple[UUID, ...] = ()
    """Calls that repeat this one, the earliest first, five at most."""
    same_prompt: SamePrompt | None = None
    """Other captures of this team with the same prompt; None where no prompt is known."""
    inspected_at: datetime | None = None
    headers: Headers | None = None
    """Response headers; None where they are not known."""
    request: Request | None = None
    """The request that was answered; None where it is not known."""
    attempt: int = 0
    """Number of attempts at inspecting it."""
    reinspected_at: datetime | None = None
    previous: PreviousAnalysis | None = None
    """The reading that ``analysis`` replaced, where a newer version read the capture again."""
    failed_version: int | None = None
    """A newer version than that of ``analysis``, which could not read the capture."""
    reinspection_error: str | None = None
    """Why it could not."""
    added_findings: tuple[Finding, ...] = ()
    """Findings of sources other than the reading, such as the cost."""
    removal: Removal | None = None
    """The credentials that were removed; None where none were looked for."""
    body_deleted_by: str | None = None
    """The rule that deleted what was sent; None where it is there."""
    redaction: Redaction | None = None
    """Redaction by rules of the team; None where they overwrote nothing."""
    share: ShareAccess | None = None
    """The share by whose link it is seen; None where it is seen by its team."""
    is_echo_hidden: bool = False
    """Members of the response that repeat the request are overwritten in what is seen."""

    @property
    def is_recording(self) -> bool:
        return bool(self.row.state == State.RECORDING)

    def with_added(self, analysis: Analysis) -> Analysis:
        """Return an analysis with the findings of other sources."""
        if not self.added_findings:
            return analysis
        return msgspec.structs.replace(
            analysis, findings=(*analysis.findings, *self.added_findings)
        )


def list_of(captures: list[Capture], older: str | None, newest: str | None = None) -> CaptureList:
    return CaptureList(tuple(row_of(capture) for capture in captures), older, newest)


def cursor_of(capture: Capture) -> str:
    return str(place_of(capture))


def place_of(capture: Capture | CaptureRow) -> Cursor:
    return Cursor(capture.called_at, capture.id)


def inspection_of(capture: Capture) -> Inspection | None:
    return getattr(capture, "inspection", None)


def failed_version_of(inspection: Inspection | None) -> int | None:
    if inspection is None or inspection.tried_version <= inspection.analysis_version:
        return None
    return inspection.tried_version


def row_of(capture: Capture) -> CaptureRow:
    found = inspection_of(capture)
    values: dict[str, Any] = {
        "id": capture.id,
        "called_at": capture.called_at,
        "received_at": capture.received_at,
        "started_at": capture.started_at,
        "state": capture.state,
        "byte_length": capture.byte_length,
        "redactions": capture.redactions,
        "tags": tuple(capture.tags),
        "finish_reasons": tuple(found.finish_reasons) if found else (),
        "error_count": found.error_count if found else 0,
        "warning_count": found.warning_count if found else 0,
        "info_count": found.info_count if found else 0,
        "provider_id": found.response_id if found else None,
        "key": capture.key.name if capture.key else None,
        "body_deleted_at": capture.body_deleted_at,
    }
    # None for all that only an inspection can say, as long as there is none.
    for name in CaptureRow.__struct_fields__:
        if name not in values:
            values[name] = getattr(found, name) if found else None
    return CaptureRow(**values)
