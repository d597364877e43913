"""The parts of a capture: its bytes, and what is read from them again when somebody asks."""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.answers import answer, of_json
from api.conditional import kept, unless_known
from api.openapi.operations import captures as operations
from api.parameters import parameters
from api.refusal import Refusal, not_found
from api.seen import inspected_page, page_of
from inspector.archive.opened import OpenedCapture
from inspector.core.analysis import ANALYSIS_VERSION

RAW_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # A stored page must stay text: no scripts, no forms, an origin of its own.
    "Content-Security-Policy": "sandbox; default-src 'none'",
}
TEXTUAL = ("text/", "application/json", "application/x-ndjson")


class CaptureRaw(APIView):
    @operations.raw
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = page_of(request, id)
        return unless_known(request, f'"{page.sha256}"', lambda: self._raw(page))

    def _raw(self, page: OpenedCapture) -> HttpResponse:
        if page.exchange is None:
            raise not_found()
        headers = _raw_headers(page.row.id, page.content_type)
        return HttpResponse(page.exchange.body, headers=headers)


class CaptureCompletion(APIView):
    @operations.completion
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = inspected_page(request, id)
        return unless_known(request, _etag(page.sha256), lambda: self._completion(page))

    def _completion(self, page: OpenedCapture) -> HttpResponse:
        if page.readout is None or page.readout.analysis.completion is None:
            raise Refusal(404, "no_completion", "no completion was read from these bytes")
        return answer(page.readout.analysis.completion)


class CaptureTimeline(APIView):
    @operations.timeline
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = inspected_page(request, id)
        return unless_known(request, _etag(page.sha256), lambda: self._timeline(page))

    def _timeline(self, page: OpenedCapture) -> HttpResponse:
        if page.readout is None:
            raise not_found()
        return of_json(msgspec.json.encode(page.readout.tape))


class CaptureFindings(APIView):
    @operations.findings
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = inspected_page(request, id)
        findings = page.with_added(page.analysis).findings if page.analysis else ()
        return kept(request, {"findings": msgspec.to_builtins(findings)})


def _etag(sha256: str) -> str:
    """Of what these bytes say to this version of the reading; each address has its own."""
    return f'"{sha256}-{ANALYSIS_VERSION}"'


def _raw_headers(id: UUID, content_type: str | None) -> dict[str, str]:
    textual = (content_type or "").lower().startswith(TEXTUAL)
    name = f"{id}.{'txt' if textual else 'bin'}"
    return {
        **RAW_HEADERS,
        "Content-Type": "text/plain; charset=utf-8" if textual else "application/octet-stream",
        "Content-Disposition": f'attachment; filename="{name}"',
    }
