"""Spans by OTLP over HTTP, in JSON or Protocol Buffers: those that tell of a model's answer become
captures, each with the span as its evidence.

The answer is OTLP's: what was not stored is counted as rejected, with the reasons, and is no error,
because exporters send an error again. A span that is sent again is stored once. Of a larger request
that is cut into captures later, the header ``Location`` names where to look for the reasons.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from msgspec import UNSET, UnsetType
from rest_framework.request import Request

from api.addresses import span_upload_url
from api.api_error import ApiError
from api.authentication import principal_of
from api.captures.batch import BatchEntry, BatchStore, LineOutcome
from api.endpoint import Endpoint
from api.operation import JSON, ResponseBody, conditional_get, operation
from api.telemetry.otlp import OTLP_ERROR, PROTOBUF, OtlpEndpoint, otlp_answer, read_otlp
from api.upload_limits import parsing
from api.uploads import parked_upload, upload_response
from inspector.archive.intake.submission import IdempotencyKeyReused, Submission
from inspector.core.json.document import BadDocument
from inspector.teams.access import TELEMETRY
from inspector.transfer.entries import PassedOver
from inspector.transfer.telemetry.trace_encoding import TraceEncoding
from inspector.transfer.telemetry.trace_requests import trace_request
from inspector.transfer.upload_entry import UploadEntry
from inspector.transfer.uploads.parked import UploadStatus

SPANS_AT_ONCE = 512
"""As many as an SDK sends in one batch; more, as a collector sends them, are cut later."""
MAX_REASONS = 10
"""The most common: an exporter logs the whole message as one line."""
REJECTED = "rejectedSpans"


class TracesRequest(msgspec.Struct, rename="camel"):
    """Spans by resource and scope (ExportTraceServiceRequest of OTLP)."""

    resource_spans: list[dict[str, Any]]


class PartialSuccess(msgspec.Struct, frozen=True, rename="camel"):
    """Spans that did not become a capture: how many, and the reasons with their numbers."""

    rejected_spans: str
    error_message: str


class TracesResponse(msgspec.Struct, frozen=True, rename="camel"):
    """Empty where every span became a capture, or was one already."""

    partial_success: PartialSuccess | UnsetType = UNSET


class TracesEndpoint(OtlpEndpoint):
    @operation(
        "export_traces",
        "store what spans of OpenTelemetry tell of models' answers",
        ResponseBody("what became of the spans", TracesResponse, (JSON, PROTOBUF)),
        reads={JSON: TracesRequest, PROTOBUF: bytes},
        error=OTLP_ERROR,
    )
    def post(self, request: Request) -> HttpResponse:
        kind, body = read_otlp(request)
        principal = principal_of(request)
        encoding = TraceEncoding.JSON if kind == JSON else TraceEncoding.PROTOBUF
        with parsing(principal, len(body)):
            found = trace_request(body, encoding)
            entries = list(found.entries()) if found.span_count <= SPANS_AT_ONCE else None
        if entries is None:
            return _answer_of_parked(kind, parked_upload(principal, encoding, body))
        outcomes = BatchStore(principal, TELEMETRY).outcomes(_to_store(entries))
        reasons = Counter(_reasons(entries, [outcome for _, outcome in outcomes]))
        return otlp_answer(kind, REJECTED, sum(reasons.values()), _message(reasons))


class SpanUploadEndpoint(Endpoint):
    @conditional_get(
        "show_span_upload",
        "get what became of the spans of a request that is cut into captures later",
        ResponseBody("the upload", UploadStatus),
    )
    def get(self, request: Request, upload: str) -> HttpResponseBase:
        return upload_response(request, TELEMETRY, upload)


def _to_store(entries: Sequence[UploadEntry]) -> Iterator[BatchEntry]:
    for entry in entries:
        if isinstance(entry.content, Submission):
            yield BatchEntry(entry.number, entry.content, entry.length)


def _reasons(entries: Sequence[UploadEntry], outcomes: Sequence[LineOutcome]) -> Iterator[str]:
    """Why spans are no captures now. Raises ``ApiError`` where all should be sent again."""
    for entry in entries:
        if isinstance(entry.content, PassedOver):
            yield entry.content.reason
        elif isinstance(entry.content, BadDocument):
            yield entry.content.message
    for outcome in outcomes:
        if isinstance(outcome, ApiError):
            if outcome.status_code >= 500:
                raise ApiError(503, outcome.code, outcome.message, retry_after=1)
            yield outcome.message
        elif isinstance(outcome, IdempotencyKeyReused):
            yield "stored already with other content"


def _message(reasons: Counter[str]) -> str:
    told = [f"{count} {reason}" for reason, count in reasons.most_common(MAX_REASONS)]
    more = [] if len(reasons) <= MAX_REASONS else ["and others"]
    return f"no captures: {'; '.join([*told, *more])}" if told else ""


def _answer_of_parked(kind: str, upload: UploadStatus) -> HttpResponse:
    """OTLP has no word for what is done later: all is taken, and where to look is a header."""
    response = otlp_answer(kind, REJECTED)
    response["Location"] = span_upload_url(upload.id)
    return response
