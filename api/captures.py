"""Captures over HTTP: taken in, listed, shown, annotated, deleted."""

from __future__ import annotations

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.arrival import read_arrival
from api.authentication import principal_of
from api.body import read_json
from api.lookup import capture_page_of, captures_of, team_sums_of, uuid_of
from api.query_params import QueryParams, invalid_parameter, read_query_params
from api.responses import encode_json, etag_of, json_response, json_with_etag
from api.schemas.captures import (
    AnnotationChanges,
    CaptureDetail,
    StoredAnnotation,
    accepted_capture,
    capture_detail,
    capture_list,
)
from inspector.archive import deletion
from inspector.archive.annotation import annotate, capture_exists, lock_capture
from inspector.archive.intake import submission, wait_for_inspection
from inspector.archive.intake.wait_for_inspection import WaitResult
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.listing.filter_params import (
    FILTER_NAMES,
    REPEATABLE_FILTERS,
    SINGLE_FILTERS,
    parse_filter_params,
)
from inspector.archive.listing.filters import Filters
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS
from inspector.archive.readers.response_json import SubmittedAnalysis, submitted_analysis
from inspector.teams.access import DELETE, INGEST


class CaptureListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        params = read_query_params(
            request, once=("before", "after", "limit", *SINGLE_FILTERS), many=REPEATABLE_FILTERS
        )
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters = capture_filters_of(params)
        try:
            found = captures_of(request).page(
                params.one("before"), params.one("after"), limit, filters
            )
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        prices = team_sums_of(request).costs([row.id for row in found.rows])
        return json_with_etag(request, capture_list(found, prices))

    def post(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("note", "dialect", "wait"), many=("tag",))
        waited = _accept(request, params)
        result = waited.result
        if isinstance(result, submission.IdempotencyKeyReused):
            raise key_reused()
        if waited.analysis is not None:
            return json_response(accepted_capture(result, submitted_analysis(waited.analysis)))
        if result.duplicate:
            return json_response(
                accepted_capture(result, _earlier_analysis(request, params, result))
            )
        return json_response(accepted_capture(result), 202)


class CaptureEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, _detail_of(request, capture_id))

    def patch(self, request: Request, capture_id: str) -> HttpResponseBase:
        _require_visible(request, capture_id)
        changes = read_annotation(request._request)
        with transaction.atomic():
            capture = lock_capture(principal_of(request), uuid_of(capture_id))
            if capture is None:
                raise not_found()
            _require_match(request, capture_id)
            annotate(capture, changes.tags, changes.note)
        return json_response(StoredAnnotation(capture.id, tuple(capture.tags), capture.note))

    def delete(self, request: Request, capture_id: str) -> HttpResponse:
        _require_visible(request, capture_id, DELETE)
        receipt = deletion.delete(principal_of(request), uuid_of(capture_id))
        if receipt is None:
            raise not_found()
        return json_response(receipt)


def capture_filters_of(params: QueryParams) -> Filters:
    """The list's filters; the first mistake in them ends the request."""
    values = {name: params.many(name) for name in FILTER_NAMES}
    found = parse_filter_params(values, timezone.now())
    for mistake in found.mistakes:
        raise invalid_parameter(mistake.name, mistake.what)
    return found.filters


def read_annotation(request: HttpRequest) -> AnnotationChanges:
    changes = read_json(request, AnnotationChanges)
    if changes == AnnotationChanges():
        raise ApiError(422, "invalid_body", "the body names neither tags nor note")
    return changes


def key_reused() -> ApiError:
    message = "this idempotency key was used with another body"
    return ApiError(409, "idempotency_key_reused", message)


def _detail_of(request: Request, capture_id: str) -> CaptureDetail:
    page = capture_page_of(request, capture_id)
    return capture_detail(page, team_sums_of(request).price(page.row.id))


def _accept(request: Request, params: QueryParams) -> WaitResult:
    arrival = read_arrival(request._request, params)
    if params.one("wait") is None:
        return WaitResult(submission.accept(principal_of(request), arrival))
    seconds = min(params.number("wait", 0), wait_for_inspection.MAX_WAIT_SECONDS)
    return wait_for_inspection.accept_and_wait(principal_of(request), arrival, seconds)


def _earlier_analysis(
    request: Request, params: QueryParams, result: submission.Accepted
) -> SubmittedAnalysis | None:
    """The analysis of a capture that was sent before, for a caller who waits and may read it."""
    page = captures_of(request).opened(result.id) if params.one("wait") else None
    found = page.analysis if page else None
    return submitted_analysis(found) if found else None


def _require_visible(request: Request, capture_id: str, scope: str = INGEST) -> None:
    # Checked first: a caller who may not see the capture learns nothing from other errors.
    if not capture_exists(principal_of(request), uuid_of(capture_id), scope):
        raise not_found()
    read_query_params(request)


def _require_match(request: Request, capture_id: str) -> None:
    # If-Match (RFC 9110, section 13.1.1): a client that names what it saw overwrites nothing newer.
    if_match = request.META.get("HTTP_IF_MATCH")
    if if_match is None or if_match.strip() == "*":
        return
    etag = etag_of(encode_json(_detail_of(request, capture_id)))
    if etag not in parse_etags(if_match):
        raise ApiError(412, "changed_meanwhile", "this is not what the If-Match speaks of")
