"""Uploads of many entries, each by what a sender may choose the number of."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SPANS, FILE, BATCH = "/v1/traces", "/api/v1/captures/file/", "/api/v1/captures/batch/"
ONE = "/api/v1/captures/"
JSON, PROTOBUF, LINES = "application/json", "application/x-protobuf", "application/x-ndjson"
ENVELOPE = "application/vnd.inspector.exchange+json"
TOLD = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m", "gen_ai.response.id": "c"}


@dataclass(frozen=True, slots=True)
class Upload:
    path: str
    content_type: str
    body: bytes
    kind: str = ""
    """The name of its kind, if it is kept as it came and cut later where it is large."""


def answer_of(number: int) -> str:
    message = {"role": "assistant", "content": "Hello"}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return json.dumps({"id": f"c{number}", "object": "chat.completion", "choices": choices})


def envelope_lines(number: int) -> bytes:
    lines = (json.dumps({"response": {"body": answer_of(each)}}) for each in range(number))
    return "".join(f"{line}\n" for line in lines).encode()


def answer_lines(number: int) -> bytes:
    return "".join(f"{answer_of(each)}\n" for each in range(number)).encode()


def har(number: int) -> bytes:
    entries = (
        {
            "request": {"method": "POST", "url": "https://llm.example/v1/chat", "headers": []},
            "response": {
                "status": 200,
                "headers": [],
                "content": {"mimeType": JSON, "text": answer_of(each)},
            },
        }
        for each in range(number)
    )
    return json.dumps({"log": {"version": "1.2", "entries": list(entries)}}).encode()


def spans(number: int) -> bytes:
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in TOLD.items()]
    made = [
        {"traceId": f"{each + 1:032x}", "spanId": f"{each + 1:016x}", "attributes": attributes}
        for each in range(number)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": made}]}]}).encode()


def protobuf_spans(number: int) -> bytes:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    request = ExportTraceServiceRequest()
    held = request.resource_spans.add().scope_spans.add()
    for each in range(1, number + 1):
        span = held.spans.add(trace_id=each.to_bytes(16), span_id=each.to_bytes(8))
        for key, value in TOLD.items():
            span.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()


def headers(number: int) -> bytes:
    given = [[f"x-{each}", "v"] for each in range(number)]
    return json.dumps({"response": {"body": "{}", "headers": given}}).encode()


def reads(number: int) -> bytes:
    given = [{"at_us": each, "data": "x"} for each in range(number)]
    return json.dumps({"response": {"reads": given}}).encode()


UPLOADS: Mapping[str, Callable[[int], Upload]] = {
    "lines of a batch": lambda number: Upload(BATCH, LINES, envelope_lines(number)),
    "lines of a file": lambda number: Upload(FILE, LINES, answer_lines(number), "file"),
    "entries of a HAR": lambda number: Upload(FILE, JSON, har(number), "file"),
    "spans in JSON": lambda number: Upload(SPANS, JSON, spans(number), "otlp-json"),
    "spans in Protocol Buffers": lambda number: Upload(
        SPANS, PROTOBUF, protobuf_spans(number), "otlp-protobuf"
    ),
    "headers of an envelope": lambda number: Upload(ONE, ENVELOPE, headers(number)),
    "reads of an envelope": lambda number: Upload(ONE, ENVELOPE, reads(number)),
}
