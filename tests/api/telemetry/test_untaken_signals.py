"""Metrics and logs by OTLP: counted as rejected, and no error, so that their sender logs none."""

import json

import pytest
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceResponse,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord, ResourceLogs, ScopeLogs
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from inspector.archive.models import Capture
from inspector.teams.access import TELEMETRY
from inspector.teams.keys import create_api_key
from tests.people import Answer, Person, ask, bearer

JSON, PROTOBUF = "application/json", "application/x-protobuf"
POINT = {"asInt": "1"}
METRICS = {
    "resourceMetrics": [
        {
            "scopeMetrics": [
                {
                    "metrics": [
                        {"name": "calls", "sum": {"dataPoints": [POINT, POINT]}},
                        {"name": "seconds", "histogram": {"dataPoints": [{"count": "1"}]}},
                    ]
                }
            ]
        }
    ]
}
LOGS = {"resourceLogs": [{"scopeLogs": [{"logRecords": [{}, {}]}]}]}


def send(person: Person, signal: str, body: bytes, kind: str = JSON) -> Answer:
    key = create_api_key(person.team, "a program", [TELEMETRY])
    return ask("POST", f"/v1/{signal}", body, kind, bearer(key))


@pytest.mark.parametrize(
    ("signal", "sent", "member", "count"),
    [("metrics", METRICS, "rejectedDataPoints", "3"), ("logs", LOGS, "rejectedLogRecords", "2")],
)
def test_all_are_rejected_with_their_number_and_nothing_is_kept(
    owner: Person, signal: str, sent: object, member: str, count: str
) -> None:
    answer = send(owner, signal, json.dumps(sent).encode())
    told = {member: count, "errorMessage": "no captures: of OpenTelemetry only spans are kept"}
    assert (answer.status, answer.json) == (200, {"partialSuccess": told})
    assert not Capture.objects.exists()


def test_metrics_of_an_sdk_are_counted_in_protocol_buffers(owner: Person) -> None:
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader]).get_meter("shop")
    meter.create_counter("calls").add(1, {"model": "a"})
    meter.create_counter("errors").add(1)
    meter.create_histogram("seconds").record(0.5)
    body = encode_metrics(reader.get_metrics_data()).SerializeToString()
    answer = send(owner, "metrics", body, PROTOBUF)
    told = ExportMetricsServiceResponse.FromString(answer.body).partial_success
    assert (answer.status, answer.headers["Content-Type"]) == (200, PROTOBUF)
    assert (told.rejected_data_points, told.error_message[:11]) == (3, "no captures")


def test_logs_are_counted_in_protocol_buffers(owner: Person) -> None:
    scoped = ScopeLogs(log_records=[LogRecord(), LogRecord(severity_text="INFO")])
    body = ExportLogsServiceRequest(resource_logs=[ResourceLogs(scope_logs=[scoped])])
    answer = send(owner, "logs", body.SerializeToString(), PROTOBUF)
    told = ExportLogsServiceResponse.FromString(answer.body).partial_success
    assert told.rejected_log_records == 2


@pytest.mark.parametrize("signal", ["metrics", "logs"])
@pytest.mark.parametrize(("body", "kind"), [(b"{}", JSON), (b"\x0a\x00", PROTOBUF)])
def test_where_nothing_was_sent_nothing_is_rejected(
    owner: Person, signal: str, body: bytes, kind: str
) -> None:
    answer = send(owner, signal, body, kind)
    assert (answer.status, answer.body) == (200, b"{}" if kind == JSON else b"")


@pytest.mark.parametrize("signal", ["metrics", "logs"])
@pytest.mark.parametrize(("body", "kind"), [(b"{", JSON), (b"[]", JSON), (b"\x0a\x7f", PROTOBUF)])
def test_what_cannot_be_read_is_an_error_of_otlp(
    owner: Person, signal: str, body: bytes, kind: str
) -> None:
    answer = send(owner, signal, body, kind)
    assert (answer.status, answer.headers["Content-Type"]) == (400, kind)


@pytest.mark.parametrize("metrics", [7, [7], [[]], {"sum": [1]}, [{"sum": {"dataPoints": 1}}]])
def test_metrics_of_any_shape_are_counted_without_failing(owner: Person, metrics: object) -> None:
    sent = {"resourceMetrics": [{"scopeMetrics": {"metrics": metrics}}]}
    assert send(owner, "metrics", json.dumps(sent).encode()).json == {}
