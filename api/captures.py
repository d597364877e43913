"""Captures over HTTP: taken in, listed, shown, handed back byte for byte."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.http import HttpResponse
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import answer, encode, of_json
from api.arrival import arrival_of
from api.authentication import principal_of
from api.parameters import parameters
from api.refusal import Refusal, not_found
from inspector.archive import intake
from inspector.archive.cursor import BadCursor
from inspector.archive.models import State
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS, Captures, for_principal
from inspector.archive.values import CapturePage

LOOK_AGAIN_SECONDS = 1

RAW_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # A stored page must stay text: no scripts, no forms, an origin of its own.
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
TEXTUAL = ("text/", "application/json", "application/x-ndjson")


class CaptureCollection(APIView):
    def get(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("before", "after", "limit"))
        limit = min(asked.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        try:
            found = _captures(request).page(asked.one("before"), asked.one("after"), limit)
        except BadCursor as error:
            raise Refusal(422, "invalid_parameter", "this is no cursor of this list") from error
        return answer(shapes.of_list(found))

    def post(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("note", "dialect"), many=("tag",))
        arrival = arrival_of(request._request, asked)
        result = intake.accept(principal_of(request), arrival)
        if isinstance(result, intake.KeyReused):
            message = "this idempotency key was used with another body"
            raise Refusal(409, "idempotency_key_reused", message)
        value = {
            "id": str(result.id),
            "state": result.state,
            "duplicate": result.duplicate,
            "url": shapes.capture_url(result.id),
            "page": shapes.page_url(result.id),
        }
        return answer(value, 200 if result.duplicate else 202)


class CaptureDetail(APIView):
    def get(self, request: Request, id: str) -> HttpResponse:
        parameters(request)
        return answer(shapes.of_page(_page(request, id)))


class CaptureRaw(APIView):
    def get(self, request: Request, id: str) -> HttpResponse:
        parameters(request)
        exchange = _captures(request).evidence(uuid_of(id))
        if exchange is None:
            raise not_found()
        return HttpResponse(exchange.body, headers=_raw_headers(id, exchange.content_type))


class CaptureCompletion(APIView):
    def get(self, request: Request, id: str) -> HttpResponse:
        parameters(request)
        page = _inspected(request, id)
        analysis = _captures(request).analysis(page.row.id)
        if analysis is None or analysis.completion is None:
            raise Refusal(404, "no_completion", "no completion was read from these bytes")
        return answer(analysis.completion)


class CaptureTimeline(APIView):
    def get(self, request: Request, id: str) -> HttpResponse:
        parameters(request)
        page = _inspected(request, id)
        tape = _captures(request).tape(page.row.id)
        if tape is None:
            raise not_found()
        return of_json(msgspec.json.encode(tape))


class CaptureFindings(APIView):
    def get(self, request: Request, id: str) -> HttpResponse:
        parameters(request)
        analysis = _inspected(request, id).analysis
        findings = analysis.findings if analysis else ()
        return of_json(encode({"findings": msgspec.to_builtins(findings)}))


def uuid_of(text: str) -> UUID:
    """Any spelling of an id is the same id; what is none is as missing as an unknown one."""
    try:
        return UUID(text)
    except ValueError as error:
        raise not_found() from error


def _captures(request: Request) -> Captures:
    return for_principal(principal_of(request))


def _page(request: Request, id: str) -> CapturePage:
    page = _captures(request).capture_page(uuid_of(id))
    if page is None:
        raise not_found()
    return page


def _inspected(request: Request, id: str) -> CapturePage:
    page = _page(request, id)
    if page.row.state != State.INSPECTED:
        message = f"the capture is {page.row.state}, not inspected"
        waits = page.row.state != State.QUARANTINED
        raise Refusal(409, "not_inspected", message, LOOK_AGAIN_SECONDS if waits else None)
    return page


def _raw_headers(id: str, content_type: str | None) -> dict[str, str]:
    textual = (content_type or "").lower().startswith(TEXTUAL)
    name = f"{uuid_of(id)}.{'txt' if textual else 'bin'}"
    return {
        **RAW_HEADERS,
        "Content-Type": "text/plain; charset=utf-8" if textual else "application/octet-stream",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
