"""The parts of a capture: its bytes, and what is read from them again when somebody asks."""

from __future__ import annotations

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.answers import answer, of_json
from api.conditional import kept
from api.openapi.operations import captures as operations
from api.parameters import parameters
from api.refusal import Refusal, not_found
from api.seen import inspected_page, page_of
from inspector.archive.opened import OpenedCapture
from inspector.caching import unless_known
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.transfer.download import download


class CaptureRaw(APIView):
    @operations.raw
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        return download(request._request, page_of(request, id))


class CaptureCompletion(APIView):
    @operations.completion
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = inspected_page(request, id)
        return unless_known(request._request, _etag(page.sha256), lambda: self._completion(page))

    def _completion(self, page: OpenedCapture) -> HttpResponse:
        if page.readout is None or page.readout.analysis.completion is None:
            raise Refusal(404, "no_completion", "no completion was read from these bytes")
        return answer(page.readout.analysis.completion)


class CaptureTimeline(APIView):
    @operations.timeline
    def get(self, request: Request, id: str) -> HttpResponseBase:
        parameters(request)
        page = inspected_page(request, id)
        return unless_known(request._request, _etag(page.sha256), lambda: self._timeline(page))

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
