"""Bodies about captures: in the list, on their own, and the results of storing them."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from api.schemas.addresses import capture_url, page_url
from api.schemas.costs import AggregatedCost, CaptureCost, aggregated_cost, capture_cost
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.intake.submission import Accepted
from inspector.archive.listing.capture_values import CaptureFacts, CaptureList, CaptureRow
from inspector.archive.member_types import Count, Moment, Url, codes
from inspector.archive.models import State
from inspector.archive.readers.response_json import Ledger, SubmittedAnalysis, ledger_of
from inspector.archive.readouts import TruncatedValue
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.analysis import Analysis
from inspector.core.credentials.removal import Removal
from inspector.core.fields.identity import created_at
from inspector.core.findings import Finding
from inspector.core.redaction_mark import Redaction
from inspector.core.same_fields import struct_of
from inspector.core.wire.exchange import Headers, TransportFault, TransportOutcome
from inspector.transfer.entries import BodyForm, FileKindName
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

OutcomeCode = Annotated[str, codes(TransportOutcome)]
FaultCode = Annotated[str, codes(TransportFault)]
StateCode = Annotated[str, codes(State)]
Tag = Annotated[str, Meta(min_length=1, max_length=TAG_CHARACTERS, pattern=r"\S")]


class AnnotationChanges(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """New tags or a new note, or both. A member that is missing or null is left as it is."""

    tags: Annotated[list[Tag], Meta(max_length=MAX_TAGS)] | None = None
    note: Annotated[str, Meta(max_length=NOTE_CHARACTERS)] | None = None


class StoredAnnotation(msgspec.Struct, frozen=True):
    """Tags and note of a capture as stored now."""

    id: UUID
    tags: tuple[str, ...]
    note: str


class AcceptedCapture(msgspec.Struct, frozen=True, kw_only=True):
    """A stored capture. `duplicate` is true for a resend. The analysis is added if the caller
    waited for it.
    """

    id: UUID
    state: StateCode
    duplicate: bool
    url: Url
    page: Url
    analysis: Analysis | UnsetType = UNSET
    ledger: Ledger | UnsetType = UNSET
    truncated: tuple[TruncatedValue, ...] | UnsetType = UNSET


class LineError(msgspec.Struct, frozen=True):
    """The reason why nothing was stored for a line."""

    code: str
    message: str


class BatchLineResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one line of a batch: the stored capture, or an error."""

    line: Annotated[int, Meta(ge=1)]
    status: int
    id: UUID | UnsetType = UNSET
    state: StateCode | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    page: Url | UnsetType = UNSET
    error: LineError | UnsetType = UNSET


class FileEntryResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one entry of a file: the stored capture, an error, or why it was passed over
    (status 204): it holds no answer of a model.
    """

    entry: Annotated[int, Meta(ge=1)]
    status: int
    id: UUID | UnsetType = UNSET
    state: StateCode | UnsetType = UNSET
    duplicate: bool | UnsetType = UNSET
    url: Url | UnsetType = UNSET
    page: Url | UnsetType = UNSET
    error: LineError | UnsetType = UNSET
    passed_over: str | UnsetType = UNSET


class StoredFile(msgspec.Struct, frozen=True, kw_only=True):
    """Results of a file's entries, in their order. `body` is how a body in such a file relates to
    the bytes of the wire, `unknown` what such a file cannot tell.
    """

    kind: Annotated[str, codes(FileKindName)]
    body: Annotated[str, codes(BodyForm)]
    unknown: str
    entries: tuple[FileEntryResult, ...]


class ListedCapture(CaptureRow, frozen=True, kw_only=True):
    """One capture in the list. Null stands for a value that was not sent or is not known yet."""

    url: Url
    page: Url
    cost: AggregatedCost | None


class CaptureListBody(msgspec.Struct, frozen=True):
    """One page of captures. `next_cursor`, sent as `cursor` with the same `sort`, leads to the next
    page, `latest_cursor`, sent as `after`, to captures stored since; it is null in a list that is
    not newest first. `stopped_at` is null, or, where looking through all captures takes more than
    two seconds, the arrival of the last that was looked through: `next_cursor` goes on behind it.
    Sorted by something else than arrival, the newest alone were looked through.
    """

    captures: tuple[ListedCapture, ...]
    next_cursor: str | None
    latest_cursor: str | None
    stopped_at: Moment | None


class ExchangeRequest(msgspec.Struct, frozen=True):
    """The request as it was sent, credentials removed. `model` is what its body names, null until
    the capture is inspected.
    """

    method: str | None
    url: str | None
    model: str | None
    headers: Headers | None
    total_bytes: Count | None
    """Length of a body of which only the beginning was kept."""


class CaptureExchange(msgspec.Struct, frozen=True, kw_only=True):
    """Exchange around the body, credentials removed. Headers are names and values in their order.
    Null stands for what nobody sent along. `upstream` is the team's name of what our proxy called,
    null for what it did not capture. `fault` is what kept our proxy from carrying the call to its
    end. `total_bytes` is the length of a body of which only the beginning was kept.
    """

    status: int | None
    headers: Headers | None
    request: ExchangeRequest | None
    started_at: Moment | None
    outcome: OutcomeCode
    upstream: str | None
    fault: FaultCode | None
    total_bytes: Count | None
    metadata: dict[str, Any]


class CaptureDetail(CaptureRow, frozen=True, kw_only=True):
    """One capture with its analysis; `analysis` and `ledger` are null until it is inspected. Null
    stands for a value that was not sent or is not known yet. `completion` of the analysis is null
    here: the assembled object stands at `/api/v1/captures/<id>/completion/`. `findings` of the
    analysis are those of the response alone; `/api/v1/captures/<id>/findings/` also has those that
    depend on the team's prices. `created_at` is the moment that `created` names, null if it names
    none.

    `received_at` is when the capture was stored first, the order of lists and sums; a call that our
    proxy records is stored while it runs. `finished_at` is when its end was stored, null while it
    is recorded; `sha256` is empty until then. `retry_of` is the failed call that this one repeats,
    `retried_by` those that repeat this one. `prompt_sha256` is equal for requests that ask the
    same, in whatever format and of whatever model; null if no prompt is known.

    Once a retention rule has deleted what was sent, `body_deleted_at` and `body_deleted_by` say so:
    the analysis then has counts, times and codes, its texts are empty and listed in `truncated`,
    messages of findings say what their rules look for, and headers and request are null. What is
    read from the body answers 410.
    """

    url: Url
    page: Url
    cost: CaptureCost | None
    team: str
    content_type: str | None
    sha256: str
    prompt_sha256: str | None
    note: str
    source: str | None
    exchange: CaptureExchange
    created_at: Moment | None
    removed: Removal | None
    redacted: Redaction | None
    same_bytes_as: tuple[UUID, ...]
    finished_at: Moment | None
    retry_of: UUID | None
    retried_by: tuple[UUID, ...]
    attempt: Count
    quarantine_reason: str | None
    body_deleted_by: str | None
    analysis: Analysis | None
    ledger: Ledger | None
    truncated: tuple[TruncatedValue, ...]
    previous: PreviousAnalysis | None


class CaptureFindings(msgspec.Struct, frozen=True):
    """All findings on a capture, those that depend on the team's prices included."""

    findings: tuple[Finding, ...]


def accepted_capture(
    accepted: Accepted, submitted: SubmittedAnalysis | None = None
) -> AcceptedCapture:
    return AcceptedCapture(
        url=capture_url(accepted.id),
        page=page_url(accepted.id),
        id=accepted.id,
        state=accepted.state,
        duplicate=accepted.duplicate,
        analysis=submitted.analysis if submitted else UNSET,
        ledger=submitted.ledger if submitted else UNSET,
        truncated=submitted.truncated if submitted else UNSET,
    )


def stored_line(number: int, status: int, accepted: Accepted) -> BatchLineResult:
    return BatchLineResult(
        url=capture_url(accepted.id),
        page=page_url(accepted.id),
        line=number,
        status=status,
        id=accepted.id,
        state=accepted.state,
        duplicate=accepted.duplicate,
    )


def stored_entry(number: int, status: int, accepted: Accepted) -> FileEntryResult:
    return FileEntryResult(
        url=capture_url(accepted.id),
        page=page_url(accepted.id),
        entry=number,
        status=status,
        id=accepted.id,
        state=accepted.state,
        duplicate=accepted.duplicate,
    )


def capture_list(found: CaptureList, prices: Mapping[UUID, ComputedCost]) -> CaptureListBody:
    captures = (_summary(row, prices.get(row.id)) for row in found.rows)
    return CaptureListBody(tuple(captures), found.older, found.newest, found.stopped_at)


def _summary(row: CaptureRow, price: ComputedCost | None) -> ListedCapture:
    return ListedCapture(
        **msgspec.structs.asdict(row),
        url=capture_url(row.id),
        page=page_url(row.id),
        cost=aggregated_cost(price),
    )


def capture_detail(capture: CaptureFacts, price: StoredPrice | None) -> CaptureDetail:
    analysis = capture.analysis
    if analysis is not None:
        analysis = msgspec.structs.replace(analysis, completion=None)
    return struct_of(
        CaptureDetail,
        capture,
        **msgspec.structs.asdict(capture.row),
        url=capture_url(capture.row.id),
        page=page_url(capture.row.id),
        cost=capture_cost(price, capture.row.received_at),
        team=capture.team_slug,
        exchange=capture_exchange(capture),
        created_at=created_at(capture.row.created),
        removed=capture.removal,
        redacted=capture.redaction,
        analysis=analysis,
        ledger=ledger_of(analysis) if analysis else None,
        truncated=capture.cuts,
    )


def capture_exchange(capture: CaptureFacts) -> CaptureExchange:
    status, request = capture.status_code, exchange_request(capture)
    return struct_of(CaptureExchange, capture, status=status, request=request)


def exchange_request(capture: CaptureFacts) -> ExchangeRequest | None:
    sent = capture.request
    return struct_of(ExchangeRequest, sent, model=capture.request_model) if sent else None
