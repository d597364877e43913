"""Metrics and logs by OTLP over HTTP, of which nothing is kept. Programs send them unasked beside
their spans: they are counted as rejected, which is no error, because that is logged at each export.
"""

from collections.abc import Callable
from typing import Any

from django.http import HttpResponse
from rest_framework.request import Request

from api.authentication import principal_of
from api.operation import JSON, ResponseBody, View, operation
from api.telemetry.otlp import OTLP_ERROR, PROTOBUF, OtlpEndpoint, otlp_answer, read_otlp
from api.upload_limits import parsing
from inspector.transfer.telemetry.untaken import LOGS, METRICS, UntakenSignal

MESSAGE = "no captures: of OpenTelemetry only spans are kept"


def _rejects(signal: str) -> Callable[[View], View]:
    return operation(
        f"reject_{signal}",
        f"count {signal} of OpenTelemetry as rejected: only spans are kept",
        ResponseBody("how many there were", dict[str, Any], (JSON, PROTOBUF)),
        reads={JSON: dict[str, Any], PROTOBUF: bytes},
        error=OTLP_ERROR,
    )


class MetricsEndpoint(OtlpEndpoint):
    @_rejects("metrics")
    def post(self, request: Request) -> HttpResponse:
        return _rejected(request, METRICS, "rejectedDataPoints")


class LogsEndpoint(OtlpEndpoint):
    @_rejects("logs")
    def post(self, request: Request) -> HttpResponse:
        return _rejected(request, LOGS, "rejectedLogRecords")


def _rejected(request: Request, signal: UntakenSignal, member: str) -> HttpResponse:
    kind, body = read_otlp(request)
    with parsing(principal_of(request), len(body)):
        count = signal.count_in_json(body) if kind == JSON else signal.count(body)
    return otlp_answer(kind, member, count, MESSAGE if count else "")
