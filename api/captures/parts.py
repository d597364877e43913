"""Parts of a capture: its bytes, what was read from them, and files made of it."""

from typing import Any

import msgspec
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.api_error import ApiError, existing
from api.endpoint import Endpoint
from api.lookup import capture_of, inspected_capture_of
from api.operation import JSON, OCTETS, TEXT, Parameter, ResponseBody, conditional_get, one_of
from api.query_params import invalid_parameter
from api.responses import etag_of, json_bytes_response, json_response, json_with_etag
from inspector.archive.download import download
from inspector.archive.opened import OpenedCapture
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readouts import StoredReadout
from inspector.core.findings import Finding
from inspector.core.tape import Tape
from inspector.transfer.capture_fixture import fixture_of, fixture_response
from inspector.transfer.fixtures.registry import KINDS
from inspector.web.cache_headers import unless_known


class CaptureFindings(msgspec.Struct, frozen=True):
    """All findings on a capture, those that depend on the team's prices included."""

    findings: tuple[Finding, ...]


class RawEndpoint(Endpoint):
    @conditional_get(
        "download_capture",
        "download the exact bytes",
        ResponseBody("the exact bytes", bytes, (TEXT, OCTETS)),
        errors=(410,),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        return download(request._request, capture_of(request, capture_id))


class FixtureEndpoint(Endpoint):
    @conditional_get(
        "download_capture_fixture",
        "get the capture as a file for tests",
        ResponseBody("the file", bytes, (TEXT, JSON)),
        Parameter("kind", "what to make", schema=one_of(KINDS), is_required=True),
        errors=(410,),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        params = self.params
        capture, kind = capture_of(request, capture_id), params.one("kind") or ""
        if kind not in KINDS:
            raise invalid_parameter("kind", f"must be one of {', '.join(KINDS)}")
        found = fixture_of(capture, kind)
        etag = etag_of(found.content)
        return unless_known(request._request, etag, lambda: fixture_response(found))


class CompletionEndpoint(Endpoint):
    @conditional_get(
        "show_capture_completion",
        "get the assembled completion object",
        ResponseBody("the object in the non-streamed shape of its format", dict[str, Any]),
        errors=(409, 410, 413),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        capture = inspected_capture_of(request, capture_id)
        found = readout_of(capture)
        if found.analysis.completion is None:
            raise ApiError(404, "no_completion", "no completion was read from these bytes")
        etag = _etag(capture, found)
        return unless_known(
            request._request, etag, lambda: json_response(found.analysis.completion)
        )


class TimelineEndpoint(Endpoint):
    @conditional_get(
        "show_capture_timeline",
        "get the tape: reads, events, lanes, pieces",
        ResponseBody("the tape", Tape),
        errors=(409, 410, 413),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        capture = inspected_capture_of(request, capture_id)
        found = readout_of(capture)
        # Megabytes of plain numbers, which need no care of texts.
        return unless_known(
            request._request,
            _etag(capture, found),
            lambda: json_bytes_response(msgspec.json.encode(found.tape)),
        )


class FindingsEndpoint(Endpoint):
    @conditional_get(
        "show_capture_findings",
        "list the findings",
        ResponseBody("the findings", CaptureFindings),
        errors=(409,),
    )
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        capture = inspected_capture_of(request, capture_id)
        found = capture.readout
        findings = capture.with_added(found.analysis).findings if found else ()
        return json_with_etag(request, CaptureFindings(findings))


def readout_of(capture: OpenedCapture) -> StoredReadout:
    """Return the whole readout. Raises ``ReadingError`` where it is cut."""
    capture.require_body()
    found = existing(capture.readout)
    if found.tape is None:
        raise ReadingError(ReadingErrorCause.TOO_LARGE)
    return found


def _etag(capture: OpenedCapture, found: StoredReadout) -> str:
    # The same bytes may be read differently by another analysis version.
    return f'"{capture.sha256}-{found.analysis.analysis_version}"'
