"""Captures over HTTP: taken in, listed, shown, annotated, deleted."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.views import APIView

from api import annotation, shapes
from api.answers import answer, encode
from api.arrival import arrival_of
from api.authentication import principal_of
from api.conditional import etag_of, kept
from api.filters import filters_of
from api.openapi.operations import captures as operations
from api.parameters import Parameters, parameters
from api.refusal import Refusal, not_found
from api.seen import captures_of, page_of, sums_of, uuid_of
from inspector.archive import deletion, intake, waiting
from inspector.archive.annotation import annotate, hold, is_there
from inspector.archive.conditions import MANY, ONCE
from inspector.archive.cursor import BadCursor
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS
from inspector.archive.readers.answers import of_answered
from inspector.archive.waiting import Waited
from inspector.teams.access import DELETE, INGEST


class CaptureCollection(APIView):
    @operations.list_captures
    def get(self, request: Request) -> HttpResponseBase:
        asked = parameters(request, once=("before", "after", "limit", *ONCE), many=MANY)
        limit = min(asked.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters = filters_of(asked)
        try:
            found = captures_of(request).page(
                asked.one("before"), asked.one("after"), limit, filters
            )
        except BadCursor as error:
            raise Refusal(422, "invalid_parameter", "this is no cursor of this list") from error
        prices = sums_of(request).costs([row.id for row in found.rows])
        return kept(request, shapes.of_list(found, prices))

    @operations.create_capture
    def post(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("note", "dialect", "wait"), many=("tag",))
        waited = _accept(request, asked)
        result = waited.result
        if isinstance(result, intake.KeyReused):
            raise key_reused()
        if waited.analysis is not None:
            return answer({**shapes.of_accepted(result), **of_answered(waited.analysis)})
        if result.duplicate:
            return answer({**shapes.of_accepted(result), **_earlier(request, asked, result)})
        return answer(shapes.of_accepted(result), 202)


class CaptureDetail(APIView):
    @operations.show_capture
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        return kept(request, _shown(request, id))

    @operations.annotate_capture
    def patch(self, request: Request, id: str) -> HttpResponseBase:
        _require_there(request, id)
        changes = annotation.changes_of(request._request)
        with transaction.atomic():
            capture = hold(principal_of(request), uuid_of(id))
            if capture is None:
                raise not_found()
            _require_match(request, id)
            annotate(capture, changes.tags, changes.note)
        return answer({"id": str(capture.id), "tags": capture.tags, "note": capture.note})

    @operations.delete_capture
    def delete(self, request: Request, id: str) -> HttpResponse:
        _require_there(request, id, DELETE)
        receipt = deletion.delete(principal_of(request), uuid_of(id))
        if receipt is None:
            raise not_found()
        return answer(shapes.of_receipt(receipt))


def key_reused() -> Refusal:
    message = "this idempotency key was used with another body"
    return Refusal(409, "idempotency_key_reused", message)


def _shown(request: Request, id: str) -> dict[str, Any]:
    page = page_of(request, id)
    return shapes.of_page(page, sums_of(request).price(page.row.id))


def _accept(request: Request, asked: Parameters) -> Waited:
    arrival = arrival_of(request._request, asked)
    if asked.one("wait") is None:
        return Waited(intake.accept(principal_of(request), arrival))
    seconds = min(asked.number("wait", 0), waiting.LONGEST_SECONDS)
    return waiting.accept(principal_of(request), arrival, seconds)


def _earlier(request: Request, asked: Parameters, result: intake.Accepted) -> dict[str, Any]:
    """The analysis of what was sent before, for whoever waits and may read it."""
    page = captures_of(request).opened(result.id) if asked.one("wait") else None
    found = page.analysis if page else None
    return of_answered(found) if found else {}


def _require_there(request: Request, id: str, scope: str = INGEST) -> None:
    """First of all: whatever else is wrong, what is not theirs is missing."""
    if not is_there(principal_of(request), uuid_of(id), scope):
        raise not_found()
    parameters(request)


def _require_match(request: Request, id: str) -> None:
    """Nobody overwrites what they have not seen, if they say what they saw."""
    wanted = request.META.get("HTTP_IF_MATCH")
    if wanted is None or wanted.strip() == "*":
        return
    etag = etag_of(encode(_shown(request, id)))
    if etag not in parse_etags(wanted):
        raise Refusal(412, "changed_meanwhile", "this is not what the If-Match speaks of")
