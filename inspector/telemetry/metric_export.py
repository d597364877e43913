"""Sends the figures that Prometheus gets to the collector, once a minute: what it did not take is
not sent again, because the next minute has newer ones.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from datetime import timedelta

from django.conf import settings
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import (
    Gauge,
    Metric,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
)

from inspector.archive.status.gauges import StatusGauge, status_gauges
from inspector.archive.status.installation import installation_totals
from inspector.telemetry.capture_span import RESOURCE, SCOPE
from inspector.telemetry.export_turns import end_turn, put_off, take_turn
from inspector.telemetry.models import ExportKind
from inspector.telemetry.otlp_http import OneTry, PostOutcome, exporter_options

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
    data = metrics_data(status_gauges(installation_totals()), time.time_ns())
    with OneTry() as session:
        OTLPMetricExporter(**exporter_options(PATH, session)).export(data)
    if session.result.outcome is PostOutcome.TAKEN:
        end_turn(turn, INTERVAL)
    else:
        _LOGGER.warning("the collector takes no metrics: %s", session.result.reason)
        put_off(turn, session.result)
    return False


def metrics_data(gauges: Iterable[StatusGauge], at_ns: int) -> MetricsData:
    scoped = ScopeMetrics(SCOPE, [_metric(gauge, at_ns) for gauge in gauges], schema_url="")
    return MetricsData([ResourceMetrics(RESOURCE, [scoped], schema_url="")])


def _metric(gauge: StatusGauge, at_ns: int) -> Metric:
    points = [
        NumberDataPoint({gauge.label: key} if gauge.label else {}, 0, at_ns, value)
        for key, value in gauge.values.items()
    ]
    return Metric(f"inspector.{gauge.name}", gauge.help_text, unit="", data=Gauge(points))
