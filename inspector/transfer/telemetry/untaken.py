"""Metrics and logs of OTLP, of which nothing is kept: how many a request has."""

from collections.abc import Callable
from dataclasses import dataclass

from inspector.core.completion import list_or_empty
from inspector.core.json import Json
from inspector.core.json.document import INVALID_JSON, BadDocument, strict_value
from inspector.transfer.telemetry import protobuf


@dataclass(frozen=True, slots=True)
class UntakenSignal:
    """``path`` leads to what is counted. Both ways to count raise ``BadDocument``."""

    count: Callable[[bytes], int]
    """In Protocol Buffers."""
    path: tuple[tuple[str, ...], ...]

    def count_in_json(self, text: bytes) -> int:
        request = strict_value(text, "body")
        if not isinstance(request, dict):
            raise BadDocument(INVALID_JSON, "the body is no request of OTLP: it is no object")
        found: list[Json] = [request]
        for names in self.path:
            held = [each.get(name) for each in found if isinstance(each, dict) for name in names]
            found = [item for each in held for item in _items(each)]
        return len(found)


def _items(value: Json) -> list[Json]:
    return [value] if isinstance(value, dict) else list_or_empty(value)


METRICS = UntakenSignal(
    protobuf.data_point_count,
    (
        ("resourceMetrics",),
        ("scopeMetrics",),
        ("metrics",),
        ("gauge", "sum", "histogram", "exponentialHistogram", "summary"),
        ("dataPoints",),
    ),
)
LOGS = UntakenSignal(
    protobuf.log_record_count, (("resourceLogs",), ("scopeLogs",), ("logRecords",))
)
