"""Parts of a capture: its bytes, and what is read from them again on request."""

from __future__ import annotations

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.lookup import capture_page_of, inspected_page_of
from api.query_params import read_query_params
from api.responses import json_bytes_response, json_response, json_with_etag
from api.schemas.captures import CaptureFindings
from inspector.archive.opened import OpenedCapture
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.transfer.download import download
from inspector.web.cache_headers import unless_known


class RawEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        return download(request._request, capture_page_of(request, capture_id))


class CompletionEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        page = inspected_page_of(request, capture_id)
        return unless_known(request._request, _etag(page.sha256), lambda: self._completion(page))

    def _completion(self, page: OpenedCapture) -> HttpResponse:
        if page.readout is None or page.readout.analysis.completion is None:
            raise ApiError(404, "no_completion", "no completion was read from these bytes")
        return json_response(page.readout.analysis.completion)


class TimelineEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        page = inspected_page_of(request, capture_id)
        return unless_known(request._request, _etag(page.sha256), lambda: self._timeline(page))

    def _timeline(self, page: OpenedCapture) -> HttpResponse:
        if page.readout is None:
            raise not_found()
        # Megabytes of plain numbers, which need no care of texts.
        return json_bytes_response(msgspec.json.encode(page.readout.tape))


class FindingsEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        page = inspected_page_of(request, capture_id)
        findings = page.with_added(page.analysis).findings if page.analysis else ()
        return json_with_etag(request, CaptureFindings(findings))


def _etag(sha256: str) -> str:
    # The same bytes may be read differently by another analysis version.
    return f'"{sha256}-{ANALYSIS_VERSION}"'
