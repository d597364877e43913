"""Bodies about captures: in the list, on their own, and the results of storing them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta, UnsetType

from api.schemas.addresses import capture_url, page_url
from api.schemas.costs import AggregatedCost, CaptureCost, aggregated_cost, capture_cost
from inspector.archive.intake.submission import (
    MAX_TAGS,
    NOTE_CHARACTERS,
    TAG_CHARACTERS,
    Accepted,
)
from inspector.archive.listing.capture_values import CaptureList, CapturePage, CaptureRow
from inspector.archive.member_types import Count, Moment, Url, codes
from inspector.archive.models import State
from inspector.archive.readers.response_json import Ledger, SubmittedAnalysis, ledger_of
from inspector.archive.storage.document import TruncatedValue
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.analysis import Analysis
from inspector.core.credentials.removal import Removal
from inspector.core.findings import Finding
from inspector.core.identity import created_at
from inspector.core.wire.exchange import Headers, TransportOutcome
from inspector.usage.rollup.queries import ComputedCost, StoredPrice

OutcomeCode = Annotated[str, codes(TransportOutcome)]
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


class ListedCapture(CaptureRow, frozen=True, kw_only=True):
    """One capture in the list. Null stands for a value that was not sent or is not known yet."""

    url: Url
    page: Url
    cost: AggregatedCost | None


class CaptureListBody(msgspec.Struct, frozen=True):
    """One page of captures, newest first. `next_cursor`, sent as `before`, leads to the next page,
    `latest_cursor`, sent as `after`, to captures stored since.
    """

    captures: tuple[ListedCapture, ...]
    next_cursor: str | None
    latest_cursor: str | None


class CaptureRequest(msgspec.Struct, frozen=True):
    """The request that was answered, as far as it is known."""

    method: str | None
    url: str | None
    model: str | None


class ExchangeRequest(msgspec.Struct, frozen=True):
    """The request as it was sent, credentials removed."""

    method: str | None
    url: str | None
    headers: Headers | None


class CaptureExchange(msgspec.Struct, frozen=True, kw_only=True):
    """What surrounds the body, credentials removed. Headers are names and values in their order.
    Null stands for what nobody sent along.
    """

    status: int | None
    headers: Headers | None
    request: ExchangeRequest | None
    started_at: Moment | None
    outcome: OutcomeCode
    metadata: dict[str, Any]


class CaptureDetail(CaptureRow, frozen=True, kw_only=True):
    """One capture with its analysis; `analysis` and `ledger` are null until it is inspected. Null
    stands for a value that was not sent or is not known yet. `completion` of the analysis is null
    here: the assembled object stands at `/api/v1/captures/<id>/completion/`. `created_at` is the
    moment that `created` names, null if it names none.
    """

    url: Url
    page: Url
    cost: CaptureCost | None
    team: str
    content_type: str | None
    status_code: int | None
    sha256: str
    note: str
    metadata: dict[str, Any]
    source: str | None
    request: CaptureRequest
    exchange: CaptureExchange
    created_at: Moment | None
    removed: Removal | None
    same_bytes_as: tuple[UUID, ...]
    attempt: Count
    quarantine_reason: str | None
    analysis: Analysis | None
    ledger: Ledger | None
    truncated: tuple[TruncatedValue, ...]
    previous: PreviousAnalysis | None


class CaptureFindings(msgspec.Struct, frozen=True):
    """All findings on a capture."""

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


def capture_list(found: CaptureList, prices: Mapping[UUID, ComputedCost]) -> CaptureListBody:
    captures = (_summary(row, prices.get(row.id)) for row in found.rows)
    return CaptureListBody(tuple(captures), found.older, found.newest)


def _summary(row: CaptureRow, price: ComputedCost | None) -> ListedCapture:
    return ListedCapture(
        **msgspec.structs.asdict(row),
        url=capture_url(row.id),
        page=page_url(row.id),
        cost=aggregated_cost(price),
    )


def capture_detail(page: CapturePage, price: StoredPrice | None) -> CaptureDetail:
    return CaptureDetail(
        **msgspec.structs.asdict(page.row),
        url=capture_url(page.row.id),
        page=page_url(page.row.id),
        cost=capture_cost(price, page.row.received_at),
        team=page.team_slug,
        content_type=page.content_type,
        status_code=page.status_code,
        sha256=page.sha256,
        note=page.note,
        metadata=page.metadata,
        source=page.source,
        request=CaptureRequest(page.request_method, page.request_url, page.request_model),
        exchange=capture_exchange(page),
        created_at=created_at(page.row.created),
        removed=page.removal,
        same_bytes_as=page.same_bytes_as,
        attempt=page.attempt,
        quarantine_reason=page.quarantine_reason,
        analysis=page.analysis,
        ledger=ledger_of(page.analysis) if page.analysis else None,
        truncated=page.cuts,
        previous=page.previous,
    )


def capture_exchange(page: CapturePage) -> CaptureExchange:
    sent = page.request
    return CaptureExchange(
        status=page.status_code,
        headers=page.headers,
        request=ExchangeRequest(sent.method, sent.url, sent.headers) if sent else None,
        started_at=page.started_at,
        outcome=page.outcome,
        metadata=page.metadata,
    )
