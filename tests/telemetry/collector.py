"""A collector on the loopback: it answers as a test says and keeps what came."""

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from tests.http_server import Handler, served


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

    class Answering(Handler):
        def do_POST(self) -> None:
            body = gzip.decompress(self.read_body())
            collector.posted.append(Posted(self.path, dict(self.headers.items()), body))
            status = collector.statuses.pop(0) if collector.statuses else 200
            self.answer(status, collector.answer, collector.more_headers)

    with served(Answering) as collector.url:
        yield collector
