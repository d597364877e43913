"""Metrics follow Prometheus' rules, and dashboard and alerts ask for nothing else."""

import asyncio
import json
import re
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from django.utils import timezone
from prometheus_client import Metric, generate_latest
from prometheus_client.parser import text_string_to_metric_families

from inspector.metrics.route_class import RouteClass
from inspector.proxy.balance import Balance
from inspector.proxy.call_figures import CallFigures, ProxyRoute
from inspector.proxy.messages import StoreState
from inspector.proxy.metrics import StateMetrics
from inspector.work import queries as work
from tests.counted import counted_in
from tests.people import ask, bearer

DEPLOY = Path(__file__).parents[2] / "deploy"
DASHBOARD: dict[str, Any] = json.loads((DEPLOY / "grafana/dashboard.json").read_text())
RULES: list[dict[str, Any]] = yaml.safe_load((DEPLOY / "prometheus/alerts.yml").read_text())[
    "groups"
][0]["rules"]
NOT_BASE_UNITS = re.compile(
    r"_(ms|us|ns|milliseconds|microseconds|minutes|hours|days|kb|mb|gb|kilobytes|megabytes|percent)(_|$)"
)
NAME = re.compile(r"\binspector_\w+")
OF_SAMPLES = ("_count", "_sum", "_bucket")
"""Ends of names that histograms and summaries make."""


async def of_proxy() -> str:
    counted = CallFigures()
    counted.ended(ProxyRoute.COMPLETION, "ended", 200, 1.5)
    counted.forwarded(ProxyRoute.COMPLETION, 0.2, 100, 1000)
    tee: Any = SimpleNamespace(unsent_bytes=0)
    link: Any = SimpleNamespace(is_ready=True, is_recording=True, starts=1, store=StoreState())
    calls: Any = ()
    counted.registry.register(StateMetrics(Balance(), tee, calls, link))
    return generate_latest(counted.registry).decode()


@pytest.fixture
def families(db: None, settings: Any, tmp_path: Path) -> list[Metric]:
    """Return the metrics of web and proxy, after one of everything that is counted."""
    settings.METRICS_KEY = "k"
    work.open_work("a kind", None, due_at=timezone.now() - timedelta(seconds=5))
    with counted_in(tmp_path) as counted:
        counted.request(RouteClass.INTAKE, 202, 0.01, 100, 100)
        counted.inspection("inspected", 0.01, 100)
        counted.inspected_after(0.5)
        counted.work_turn("a kind", "done", 0.1)
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
    if family.type != "histogram" and any("le" in sample.labels for sample in family.samples):
        found.append("has the label of a histogram's buckets and is none")
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
    named = {name for text in asked() for name in NAME.findall(text)}
    assert len(named) > 25
    # No reinspection is under way, and nothing was read or found, in an empty archive.
    empty = {"inspector_inspections", "inspector_reinspection_captures"}
    assert named - samples - empty == set()


def test_they_ask_for_labels_that_the_figures_have(families: list[Metric]) -> None:
    labels = {"instance", "job"} | {
        label for family in families for sample in family.samples for label in sample.labels
    }
    for text in asked():
        grouped = [name for by in re.findall(r"by \((.*?)\)", text) for name in by.split(", ")]
        matched = re.findall(r"[{,](\w+)[=!]", text)
        # Of what is inspected or inspected again.
        assert {*grouped, *matched} <= labels | {"verdict", "count"}, text


def test_every_histogram_is_drawn(families: list[Metric]) -> None:
    drawn = " ".join(asked())
    histograms = [family.name for family in families if family.type == "histogram"]
    assert len(histograms) == 11
    assert [name for name in histograms if f"{name}_" not in drawn] == []


def test_every_legend_and_summary_is_filled_from_labels_that_its_question_keeps() -> None:
    questions = [
        (target["expr"], target["legendFormat"])
        for panel in DASHBOARD["panels"]
        for target in panel["targets"]
    ] + [(rule["expr"], rule["annotations"]["summary"]) for rule in RULES]
    for text, sentence in questions:
        kept = {name for by in re.findall(r"by \((.*?)\)", text) for name in by.split(", ")}
        if "sum" not in text and "max" not in text:
            # Nothing is added up: the labels of whoever is scraped stay.
            kept |= {"instance", "job"}
        filled = {*re.findall(r"{{\s*(?:\$labels\.)?(\w+)\s*}}", sentence)}
        assert filled <= kept, (text, sentence)


def test_every_figure_that_grows_is_drawn_as_a_rate() -> None:
    for text in asked():
        for name in re.findall(r"\w+_(?:total|bucket|sum|count)\b", text):
            assert re.search(rf"(rate|increase)\({name}({{.*?}})?\[", text), text


def test_parentheses_and_braces_are_closed() -> None:
    for text in asked():
        for opens, closes in ("()", "{}", "[]"):
            assert text.count(opens) == text.count(closes), text


def test_panels_do_not_overlap_and_each_alert_says_what_it_means() -> None:
    places = [(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in DASHBOARD["panels"]]
    assert len(set(places)) == len(places)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(places)
    for rule in RULES:
        assert rule["annotations"]["summary"].endswith(".")
        assert rule["labels"]["severity"] in ("warning", "critical")
