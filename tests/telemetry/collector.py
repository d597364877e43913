"""A collector on the loopback: it answers as a test says and keeps what came."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span


@dataclass(frozen=True)
class Posted:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Collector:
    url: str = ""
    statuses: list[int] = field(default_factory=list)
    """Statuses of the next answers; 200 once there are none."""
    answer: bytes = b""
    more_headers: dict[str, str] = field(default_factory=dict)
    posted: list[Posted] = field(default_factory=list)

    def spans(self, at: int = -1) -> list[Span]:
        request = ExportTraceServiceRequest.FromString(self.posted[at].body)
        return [
            span
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]


def values_of(attributes: object) -> dict[str, object]:
    found: dict[str, object] = {}
    for pair in attributes:  # type: ignore[attr-defined]
        assert isinstance(pair, KeyValue)
        kind = pair.value.WhichOneof("value")
        value = getattr(pair.value, kind or "string_value")
        items = [each.string_value for each in value.values] if kind == "array_value" else value
        found[pair.key] = items
    return found


@contextmanager
def listening() -> Iterator[Collector]:
    collector = Collector()

    class Answering(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = gzip.decompress(self.rfile.read(int(self.headers["Content-Length"])))
            collector.posted.append(Posted(self.path, dict(self.headers.items()), body))
            self.send_response(collector.statuses.pop(0) if collector.statuses else 200)
            for name, value in collector.more_headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(collector.answer)))
            self.end_headers()
            self.wfile.write(collector.answer)

        def log_request(self, *_: object) -> None:
            """Nothing is printed."""

    server = HTTPServer(("127.0.0.1", 0), Answering)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    collector.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield collector
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
