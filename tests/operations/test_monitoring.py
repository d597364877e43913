"""What /metrics says follows Prometheus' rules, and dashboard and alerts ask for nothing else."""

import asyncio
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from inspector.proxy.balance import Balance
from inspector.proxy.metrics import metrics_text
from tests.people import ask, bearer

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/dashboard.json").read_text())
RULES: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())[
    "groups"
][0]["rules"]
NOT_BASE_UNITS = re.compile(
    r"_(ms|us|ns|milliseconds|microseconds|minutes|hours|days|kb|mb|gb|kilobytes|megabytes|percent)(_|$)"
)
OF_SAMPLES = ("_count", "_sum", "_bucket")
"""Ends of names that histograms and summaries make."""


async def of_proxy() -> str:
    tee, link = SimpleNamespace(unsent_bytes=0), SimpleNamespace(is_ready=True, starts=1)
    return metrics_text(Balance(), tee, (), link)  # type: ignore[arg-type]


@pytest.fixture
def families(db: None, settings: Any) -> list[Metric]:
    """Of web and proxy."""
    settings.METRICS_KEY = "k"
    web = ask("GET", "/metrics", headers=bearer("k")).body.decode()
    return [*text_string_to_metric_families(web + asyncio.run(of_proxy()))]


def problems(family: Metric) -> list[str]:
    """Those that ``promtool check metrics`` names."""
    found = []
    if not re.fullmatch(r"inspector_[a-z][a-z_]*", family.name) or "__" in family.name:
        found.append("is no name in snake case behind the prefix")
    if not family.documentation.endswith("."):
        found.append("has no sentence of help")
    # The parser takes the end off a counter's family, and leaves it on its samples.
    has_total = any(sample.name.endswith("_total") for sample in family.samples)
    if has_total is not (family.type == "counter"):
        found.append("ends with _total and is no counter, or is one and does not")
    if NOT_BASE_UNITS.search(family.name):
        found.append("is in another unit than seconds, bytes or a ratio")
    if family.name.endswith(OF_SAMPLES) or family.type in family.name.split("_"):
        found.append("says its type in its name")
    return [f"{family.name} {each}" for each in found]


def test_every_name_follows_the_rules_of_prometheus(families: list[Metric]) -> None:
    assert len(families) > 20
    assert [each for family in families for each in problems(family)] == []


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("inspector_requests", "counter"), ("inspector_wait_ms", "gauge"),
        ("inspector_wait_gauge", "gauge"), ("inspector_Wait", "gauge"), ("waits", "gauge"),
        ("inspector_waits_count", "gauge"),
    ],
)  # fmt: skip
def test_the_rules_find_what_they_forbid(name: str, kind: str) -> None:
    family = Metric(name, "Help.", kind)
    family.add_sample(name, {}, 1)
    assert problems(family)


def asked() -> list[str]:
    of_panels = [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]
    return of_panels + [rule["expr"] for rule in RULES]


def test_dashboard_and_alerts_ask_for_what_there_is(families: list[Metric]) -> None:
    samples = {sample.name for family in families for sample in family.samples}
    labels = {
        f"{s.name} {label}" for family in families for s in family.samples for label in s.labels
    }
    named = {name for text in asked() for name in re.findall(r"\binspector_\w+", text)}
    assert len(named) > 15
    # No reinspection is under way, and nothing was read or found, in an empty archive.
    empty = {"inspector_inspections", "inspector_reinspection_captures"}
    assert named - samples - empty == set()
    assert "inspector_captures state" in labels and "inspector_findings severity" in labels


def test_every_figure_of_the_proxy_that_grows_is_drawn_as_a_rate(families: list[Metric]) -> None:
    for text in asked():
        for name in re.findall(r"\w+_total", text):
            assert re.search(rf"(rate|increase)\({name}\[", text), text


def test_panels_do_not_overlap_and_each_alert_says_what_it_means() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in ("warning", "critical")
