"""OpenTelemetry: spans that become captures, at once or later."""

from typing import Any

from api.operations.operation import (
    IF_NONE_MATCH,
    JSON,
    UNCHANGED,
    Endpoint,
    Operation,
    ResponseBody,
    in_path,
)
from api.schemas.addresses import V1
from api.schemas.telemetry import OtlpStatus, TracesRequest, TracesResponse
from inspector.teams.access import TELEMETRY
from inspector.transfer.uploads.parked import UploadStatus

TAG = "telemetry"
TAG_TEXTS = {TAG: "Spans of OpenTelemetry, which tell of responses"}
PROTOBUF = "application/x-protobuf"
OTLP_ERROR = ResponseBody("an error as OTLP has it", OtlpStatus, (JSON, PROTOBUF))

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
            error=OTLP_ERROR,
        ),
    ),
)
METRICS, LOGS = (
    Endpoint(
        f"api:otlp-{signal}",
        f"v1/{signal}",
        TAG,
        (
            Operation(
                "POST",
                f"reject_{signal}",
                TELEMETRY,
                f"count {signal} of OpenTelemetry as rejected: only spans are kept",
                {200: ResponseBody("how many there were", dict[str, Any], (JSON, PROTOBUF))},
                body={JSON: dict[str, Any], PROTOBUF: bytes},
                error=OTLP_ERROR,
            ),
        ),
    )
    for signal in ("metrics", "logs")
)
SPAN_UPLOAD = Endpoint(
    "api:span-upload",
    # Below the kind: who may send such ones may see what became of them.
    f"{V1}uploads/spans/<str:upload>/",
    TAG,
    (
        Operation(
            "GET",
            "show_span_upload",
            TELEMETRY,
            "get what became of the spans of a request that is cut into captures later",
            {200: ResponseBody("the upload", UploadStatus), 304: UNCHANGED},
            errors=(404,),
            parameters=(in_path("upload", "id of the upload"), IF_NONE_MATCH),
        ),
    ),
)
ENDPOINTS = (TRACES, METRICS, LOGS, SPAN_UPLOAD)
