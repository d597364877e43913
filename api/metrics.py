"""Totals for a monitoring system, in the text format that Prometheus reads.

Gauges come from the database, so that any process of any host says the same of them. Counters and
histograms are those of the programs of this host.
"""

from collections.abc import Iterator

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from inspector.archive.status.gauges import StatusGauge, status_gauges
from inspector.archive.status.installation import InstallationTotals, installation_totals
from inspector.metrics.figures import add_figures
from inspector.teams.guards import for_operators


@csrf_exempt
@for_operators
def metrics(request: HttpRequest) -> HttpResponse:
    registry = CollectorRegistry()
    registry.register(CaptureGauges(installation_totals()))
    add_figures(registry)
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


class CaptureGauges(Collector):
    def __init__(self, found: InstallationTotals) -> None:
        self._found = found

    def collect(self) -> Iterator[Metric]:
        yield from map(gauge_family, status_gauges(self._found))


def gauge_family(gauge: StatusGauge) -> Metric:
    labels = [gauge.label] if gauge.label else []
    family = GaugeMetricFamily(f"inspector_{gauge.name}", gauge.help_text, labels=labels)
    for key, value in gauge.values.items():
        family.add_metric([key] if gauge.label else [], value)
    return family
