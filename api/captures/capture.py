"""One capture: shown, annotated, deleted."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from msgspec import Meta
from rest_framework.request import Request

from api.addresses import capture_url, page_url
from api.api_error import ApiError, existing, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures.costs import CaptureCost, capture_cost
from api.endpoint import Endpoint
from api.lookup import capture_of, team_sums_of, uuid_of
from api.operation import ResponseBody, conditional_get, header, operation
from api.responses import etag_of, json_response, json_with_etag
from inspector.archive import deletion
from inspector.archive.annotation import annotate, capture_exists, lock_capture
from inspector.archive.deletion import DeletionReceipt
from inspector.archive.intake.limits import MAX_TAGS, NOTE_CHARACTERS, TAG_CHARACTERS
from inspector.archive.listing.capture_values import CaptureFacts, CaptureRow
from inspector.archive.member_types import Count, Moment, Url, codes
from inspector.archive.readers.response_json import Ledger, ledger_of
from inspector.archive.readouts import TruncatedValue
from inspector.archive.storage.previous_analysis import PreviousAnalysis
from inspector.core.analysis import Analysis
from inspector.core.credentials.removal import Removal
from inspector.core.fields.identity import created_at
from inspector.core.json.encoding import encode_json
from inspector.core.redaction_mark import Redaction
from inspector.core.same_fields import struct_of
from inspector.core.wire.exchange import Headers, TransportFault, TransportOutcome
from inspector.teams.access import DELETE, INGEST
from inspector.usage.rollup.queries import StoredPrice

OutcomeCode = Annotated[str, codes(TransportOutcome)]
FaultCode = Annotated[str, codes(TransportFault)]
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

    `called_at` is when the call was made, the order of lists and sums: `started_at`, where it was
    told and is neither after `received_at` nor before 2015, else `received_at`. That is when the
    capture was stored first; a call that our proxy records is stored while it runs. `finished_at`
    is when its end was stored, null while it is recorded; `sha256` is empty until then. `retry_of`
    is the failed call that this one repeats, `retried_by` those that repeat this one.
    `prompt_sha256` is equal for requests that ask the same, in whatever format and of whatever
    model; null if no prompt is known.

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


class CaptureEndpoint(Endpoint):
    @conditional_get(
        "show_capture",
        "get a capture",
        ResponseBody("the capture with its analysis", CaptureDetail),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        return json_with_etag(request, _detail_of(request, capture_id))

    @operation(
        "annotate_capture",
        "replace the tags or the note",
        ResponseBody("tags and note as stored now", StoredAnnotation),
        header("If-Match", "ETag: change the capture only if it is current"),
        reads=AnnotationChanges,
        errors=(412,),
    )
    def patch(self, request: Request, capture_id: str) -> HttpResponseBase:
        _require_visible(request, capture_id)
        changes = read_annotation(request._request)
        with transaction.atomic():
            capture = existing(lock_capture(principal_of(request), uuid_of(capture_id)))
            _require_match(request, capture_id)
            annotate(capture, changes.tags, changes.note)
        return json_response(StoredAnnotation(capture.id, tuple(capture.tags), capture.note))

    @operation(
        "delete_capture",
        "delete the content at once and keep a receipt",
        ResponseBody("the receipt", DeletionReceipt),
        errors=(409,),
    )
    def delete(self, request: Request, capture_id: str) -> HttpResponse:
        _require_visible(request, capture_id, DELETE)
        return json_response(existing(deletion.delete(principal_of(request), uuid_of(capture_id))))


def read_annotation(request: HttpRequest) -> AnnotationChanges:
    changes = read_json(request, AnnotationChanges)
    if changes == AnnotationChanges():
        raise ApiError(422, "invalid_body", "the body names neither tags nor note")
    return changes


def _detail_of(request: Request, capture_id: str) -> CaptureDetail:
    capture = capture_of(request, capture_id)
    return capture_detail(capture, team_sums_of(request).price(capture.row.id))


def _require_visible(request: Request, capture_id: str, scope: str = INGEST) -> None:
    # Checked first: a caller who may not see the capture learns nothing from other errors.
    if not capture_exists(principal_of(request), uuid_of(capture_id), scope):
        raise not_found()


def _require_match(request: Request, capture_id: str) -> None:
    # If-Match (RFC 9110, section 13.1.1): a client that names what it saw overwrites nothing newer.
    if_match = request.META.get("HTTP_IF_MATCH")
    if if_match is None or if_match.strip() == "*":
        return
    etag = etag_of(encode_json(_detail_of(request, capture_id)))
    if etag not in parse_etags(if_match):
        raise ApiError(412, "changed_meanwhile", "this is not what the If-Match speaks of")


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
        cost=capture_cost(price, capture.row.called_at),
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
