"""OpenTelemetry: spans that become captures, at once or later."""

from typing import Any

from api.operations.operation import JSON, Endpoint, Operation, ResponseBody, get, in_path, v1
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
SPAN_UPLOAD = v1(
    "span-upload",
    # Below the kind: who may send such ones may see what became of them.
    "uploads/spans/<str:upload>/",
    TAG,
    get(
        "show_span_upload",
        TELEMETRY,
        "get what became of the spans of a request that is cut into captures later",
        ResponseBody("the upload", UploadStatus),
        in_path("upload", "id of the upload"),
        errors=(404,),
    ),
)
ENDPOINTS = (TRACES, METRICS, LOGS, SPAN_UPLOAD)
