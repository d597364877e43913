"""Totals for a monitoring system, in the text format that Prometheus reads.

All of it comes from the database, so that any process of any host gives the same answer. What one
process alone could count, such as requests, is in its log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from inspector.archive.status.installation import InstallationTotals, installation_totals
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.teams.guards import for_operators


@csrf_exempt
@for_operators
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()
    registry.register(CaptureGauges(installation_totals()))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class CaptureGauges(Collector):
    """Gauges, not counters: deleting, retrying and inspecting again may lower every one of them."""

    def __init__(self, found: InstallationTotals) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        found = self._found
        yield labelled_gauge("captures", "Captures by state.", "state", found.by_state)
        yield labelled_gauge(
            "captures_by_attempts", "By attempts so far.", "attempts", found.by_attempts
        )
        yield labelled_gauge("inspections", "Inspections by verdict.", "verdict", found.by_verdict)
        yield labelled_gauge("findings", "Findings by severity.", "severity", found.findings)
        yield gauge("body_bytes", "Bytes of all bodies, as they came.", found.body_bytes)
        yield gauge("overdue_captures", "Due for long, and taken by nobody.", found.overdue)
        yield gauge(
            "oldest_pending_seconds",
            "Age of the oldest capture that waits for its inspection; 0 where none does.",
            found.oldest_pending_seconds,
        )
        yield labelled_gauge(
            "reinspection_captures",
            "Of the reinspections under way: total, done, and of these changed or failed.",
            "count",
            found.reinspection,
        )
        yield gauge(
            "analysis_version", "Of the rules that this process reads by.", ANALYSIS_VERSION
        )


def gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"inspector_{name}", help_text, value=value)


def labelled_gauge(name: str, help_text: str, label: str, values: Mapping[Any, int]) -> Metric:
    family = GaugeMetricFamily(f"inspector_{name}", help_text, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([str(key)], value)
    return family
