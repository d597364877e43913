"""Bodies as spans of an LLM call, in requests of OTLP over HTTP; run in the peer's environment.

    python spans.py PER_REQUEST < bodies > requests

Bodies and requests are each preceded by their length in four bytes. A span carries its body as the
output's value, with what its kind demands and nothing else.
"""

from __future__ import annotations

import os
import struct
import sys
import time
from collections.abc import Iterator
from itertools import islice

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

CALL_NS = 1_000_000_000


def bodies() -> Iterator[str]:
    while head := sys.stdin.buffer.read(4):
        yield sys.stdin.buffer.read(*struct.unpack("!I", head)).decode()


def fill(span: Span, body: str) -> None:
    span.trace_id, span.span_id = os.urandom(16), os.urandom(8)
    span.name, span.kind = "completion", Span.SPAN_KIND_CLIENT
    span.end_time_unix_nano = time.time_ns()
    span.start_time_unix_nano = span.end_time_unix_nano - CALL_NS
    said = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "parcel-large-2",
        "output.mime_type": "text/plain",
        "output.value": body,
    }
    for key, value in said.items():
        span.attributes.add(key=key).value.string_value = value


def main() -> None:
    per_request, waiting = int(sys.argv[1]), bodies()
    while together := list(islice(waiting, per_request)):
        export = ExportTraceServiceRequest()
        spans: ResourceSpans = export.resource_spans.add()
        scope = spans.scope_spans.add()
        for body in together:
            fill(scope.spans.add(), body)
        sent = export.SerializeToString()
        sys.stdout.buffer.write(struct.pack("!I", len(sent)) + sent)


if __name__ == "__main__":
    main()
