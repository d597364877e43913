"""The figures of ``/metrics`` to a collector: the same names, the same values, once a minute."""

from __future__ import annotations

import pytest
from django.conf import LazySettings

from inspector.archive.status.gauges import status_gauges
from inspector.archive.status.installation import installation_totals
from inspector.telemetry import metric_export
from inspector.telemetry.models import CollectorState
from tests.archive.samples import WHOLE, accept, inspect_all
from tests.people import Person
from tests.telemetry.collector import listening, values_of


def test_metrics_are_those_that_prometheus_gets(owner: Person, settings: LazySettings) -> None:
    accept(owner, WHOLE)
    inspect_all()
    with listening() as collector:
        settings.OTLP_ENDPOINT = collector.url
        metric_export.step(lambda: False)
        metric_export.step(lambda: False)
        assert [posted.path for posted in collector.posted] == ["/v1/metrics"]
        sent = {metric.name: metric.gauge.data_points for metric in collector.metrics()}
    expected = {f"inspector.{each.name}": each for each in status_gauges(installation_totals())}
    assert sent.keys() == expected.keys()
    for name, points in sent.items():
        values = {str(values_of(p.attributes).get(expected[name].label, "")): p for p in points}
        assert values.keys() == {str(key) for key in expected[name].values}
    states = {values_of(p.attributes)["state"]: p.as_double for p in sent["inspector.captures"]}
    assert states["inspected"] == 1.0


@pytest.mark.django_db
def test_a_collector_that_is_away_costs_a_wait(settings: LazySettings) -> None:
    settings.OTLP_ENDPOINT = "http://127.0.0.1:1"
    assert metric_export.step(lambda: False) is False
    assert CollectorState.objects.get(kind="metrics").failure.startswith("no answer: ")
