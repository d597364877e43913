"""Captures over HTTP: taken in, listed, shown, annotated, deleted."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.views import APIView

from api import annotation
from api.api_error import ApiError, not_found
from api.arrival import read_arrival
from api.authentication import principal_of
from api.conditional_get import etag_of, json_with_etag
from api.filters import capture_filters_of
from api.lookup import capture_page_of, captures_of, team_sums_of, uuid_of
from api.openapi.operations import captures as operations
from api.query_params import QueryParams, read_query_params
from api.responses import encode_json, json_response
from api.schemas import archive
from inspector.archive import deletion
from inspector.archive.annotation import annotate, capture_exists, lock_capture
from inspector.archive.intake import submission, wait_for_inspection
from inspector.archive.intake.wait_for_inspection import WaitResult
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.listing.filter_params import REPEATABLE_FILTERS, SINGLE_FILTERS
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS
from inspector.archive.readers.response_json import submitted_analysis_members
from inspector.teams.access import DELETE, INGEST


class CaptureCollection(APIView):
    @operations.list_captures
    def get(self, request: Request) -> HttpResponseBase:
        asked = read_query_params(
            request, once=("before", "after", "limit", *SINGLE_FILTERS), many=REPEATABLE_FILTERS
        )
        limit = min(asked.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters = capture_filters_of(asked)
        try:
            found = captures_of(request).page(
                asked.one("before"), asked.one("after"), limit, filters
            )
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        prices = team_sums_of(request).costs([row.id for row in found.rows])
        return json_with_etag(request, archive.capture_list(found, prices))

    @operations.create_capture
    def post(self, request: Request) -> HttpResponse:
        asked = read_query_params(request, once=("note", "dialect", "wait"), many=("tag",))
        waited = _accept(request, asked)
        result = waited.result
        if isinstance(result, submission.IdempotencyKeyReused):
            raise key_reused()
        if waited.analysis is not None:
            return json_response(
                {**archive.accepted_capture(result), **submitted_analysis_members(waited.analysis)}
            )
        if result.duplicate:
            return json_response(
                {**archive.accepted_capture(result), **_earlier_analysis(request, asked, result)}
            )
        return json_response(archive.accepted_capture(result), 202)


class CaptureDetail(APIView):
    @operations.show_capture
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, _capture_answer(request, capture_id))

    @operations.annotate_capture
    def patch(self, request: Request, capture_id: str) -> HttpResponseBase:
        _require_visible(request, capture_id)
        changes = annotation.read_annotation(request._request)
        with transaction.atomic():
            capture = lock_capture(principal_of(request), uuid_of(capture_id))
            if capture is None:
                raise not_found()
            _require_match(request, capture_id)
            annotate(capture, changes.tags, changes.note)
        return json_response({"id": str(capture.id), "tags": capture.tags, "note": capture.note})

    @operations.delete_capture
    def delete(self, request: Request, capture_id: str) -> HttpResponse:
        _require_visible(request, capture_id, DELETE)
        receipt = deletion.delete(principal_of(request), uuid_of(capture_id))
        if receipt is None:
            raise not_found()
        return json_response(archive.deletion_receipt(receipt))


def key_reused() -> ApiError:
    message = "this idempotency key was used with another body"
    return ApiError(409, "idempotency_key_reused", message)


def _capture_answer(request: Request, capture_id: str) -> dict[str, Any]:
    page = capture_page_of(request, capture_id)
    return archive.capture_page(page, team_sums_of(request).price(page.row.id))


def _accept(request: Request, asked: QueryParams) -> WaitResult:
    arrival = read_arrival(request._request, asked)
    if asked.one("wait") is None:
        return WaitResult(submission.accept(principal_of(request), arrival))
    seconds = min(asked.number("wait", 0), wait_for_inspection.MAX_WAIT_SECONDS)
    return wait_for_inspection.accept_and_wait(principal_of(request), arrival, seconds)


def _earlier_analysis(
    request: Request, asked: QueryParams, result: submission.Accepted
) -> dict[str, Any]:
    """The analysis of a capture that was sent before, for a caller who waits and may read it."""
    page = captures_of(request).opened(result.id) if asked.one("wait") else None
    found = page.analysis if page else None
    return submitted_analysis_members(found) if found else {}


def _require_visible(request: Request, capture_id: str, scope: str = INGEST) -> None:
    # Checked first: a caller who may not see the capture learns nothing from other errors.
    if not capture_exists(principal_of(request), uuid_of(capture_id), scope):
        raise not_found()
    read_query_params(request)


def _require_match(request: Request, capture_id: str) -> None:
    # If-Match (RFC 9110, section 13.1.1): a client that names what it saw overwrites nothing newer.
    wanted = request.META.get("HTTP_IF_MATCH")
    if wanted is None or wanted.strip() == "*":
        return
    etag = etag_of(encode_json(_capture_answer(request, capture_id)))
    if etag not in parse_etags(wanted):
        raise ApiError(412, "changed_meanwhile", "this is not what the If-Match speaks of")
