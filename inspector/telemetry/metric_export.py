"""Sends the figures that Prometheus gets to the collector, once a minute: what it did not take is
not sent again, because the next minute has newer ones.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from datetime import timedelta

from django.conf import settings
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    Gauge,
    Metric,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
)
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from inspector.archive.status.gauges import StatusGauge, status_gauges
from inspector.archive.status.installation import installation_totals
from inspector.telemetry.capture_span import SCOPE, SERVICE, pairs
from inspector.telemetry.export_turns import end_turn, put_off, take_turn
from inspector.telemetry.models import ExportKind
from inspector.telemetry.otlp_http import PostOutcome, post

PATH = "/v1/metrics"
INTERVAL = timedelta(seconds=60)

_LOGGER = logging.getLogger(__name__)


def step(is_stopped: Callable[[], bool]) -> bool:
    """Always False: no more waits."""
    if not settings.OTLP_ENDPOINT or is_stopped():
        return False
    turn = take_turn(ExportKind.METRICS)
    if turn is None:
        return False
    body = metrics_request(status_gauges(installation_totals()), time.time_ns())
    result = post(settings.OTLP_ENDPOINT + PATH, settings.OTLP_HEADERS, body)
    if result.outcome is PostOutcome.TAKEN:
        end_turn(turn, INTERVAL)
    else:
        _LOGGER.warning("the collector takes no metrics: %s", result.reason)
        put_off(turn, result)
    return False


def metrics_request(gauges: Iterable[StatusGauge], at_ns: int) -> bytes:
    metrics = [_metric(gauge, at_ns) for gauge in gauges]
    scoped = ScopeMetrics(scope=InstrumentationScope(name=SCOPE), metrics=metrics)
    resource = Resource(attributes=pairs({"service.name": SERVICE}))
    request = ExportMetricsServiceRequest(
        resource_metrics=[ResourceMetrics(resource=resource, scope_metrics=[scoped])]
    )
    return bytes(request.SerializeToString(deterministic=True))


def _metric(gauge: StatusGauge, at_ns: int) -> Metric:
    points = [
        NumberDataPoint(
            time_unix_nano=at_ns,
            as_double=value,
            attributes=pairs({gauge.label: key} if gauge.label else {}),
        )
        for key, value in gauge.values.items()
    ]
    name = f"inspector.{gauge.name}"
    return Metric(name=name, description=gauge.help_text, gauge=Gauge(data_points=points))
