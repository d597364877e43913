"""OpenTelemetry: spans that become captures."""

from __future__ import annotations

from api.operations.operation import JSON, Endpoint, Operation, ResponseBody
from api.schemas.telemetry import OtlpStatus, TracesRequest, TracesResponse
from inspector.teams.access import TELEMETRY

TAG = "telemetry"
PROTOBUF = "application/x-protobuf"

TRACES = Endpoint(
    "api:traces",
    # As exporters append it to the endpoint: without a slash at its end.
    "v1/traces",
    TAG,
    (
        Operation(
            "POST",
            "export_traces",
            TELEMETRY,
            "store what spans of OpenTelemetry tell of models' answers",
            {200: ResponseBody("what became of the spans", TracesResponse, (JSON, PROTOBUF))},
            body={JSON: TracesRequest, PROTOBUF: bytes},
            error=ResponseBody("an error as OTLP has it", OtlpStatus, (JSON, PROTOBUF)),
        ),
    ),
)
ENDPOINTS = (TRACES,)
