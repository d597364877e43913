"""Totals for a monitoring system: who gets them, what they say, and what they leave out."""

import os
import subprocess
import sys
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from inspector.archive.inspection import reinspection
from inspector.archive.models import Capture, State
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import CUT, WHOLE, accept, inspected
from tests.people import Answer, Person, ask, bearer

KEY = "a key of the operator's"


@pytest.fixture
def key(settings: Any) -> str:
    settings.METRICS_KEY = KEY
    return KEY


def values(answer: Answer) -> dict[tuple[str, ...], float]:
    """``("captures", "inspected"): 1.0``, read as Prometheus reads it."""
    assert answer.status == 200
    families = text_string_to_metric_families(answer.body.decode())
    return {
        (sample.name.removeprefix("inspector_"), *sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
    }


def metrics() -> dict[tuple[str, ...], float]:
    return values(ask("GET", "/metrics", headers=bearer(KEY)))


@pytest.mark.django_db
def test_without_a_key_in_the_settings_there_is_no_such_address() -> None:
    for headers in ({}, bearer(""), bearer(KEY)):
        answer = ask("GET", "/metrics", headers=headers)
        assert (answer.status, answer.code) == (404, "not_found")


@pytest.mark.parametrize(
    "headers",
    [{}, bearer(""), bearer(KEY[:-1]), bearer(KEY + "x"), bearer(KEY.upper()), bearer("\u00e9"),
     {"Authorization": KEY}, {"Authorization": f"Basic {KEY}"}],
)  # fmt: skip
def test_another_key_opens_nothing(key: str, headers: dict[str, str], db: None) -> None:
    answer = ask("GET", "/metrics", headers=headers)
    assert (answer.status, answer.code) == (401, "unauthorized")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_it_is_text_that_prometheus_reads(key: str, db: None) -> None:
    answer = ask("GET", "/metrics", headers=bearer(KEY))
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    assert b"# HELP inspector_captures Captures by state.\n# TYPE inspector_captures gauge" in (
        answer.body
    )


def test_an_empty_archive_has_every_state_at_zero(key: str, db: None) -> None:
    found = metrics()
    assert {name: found["captures", name] for name in State.values} == dict.fromkeys(
        State.values, 0
    )
    assert (found["oldest_pending_seconds",], found["overdue_captures",]) == (0, 0)


def test_totals_are_those_of_all_teams(key: str, owner: Person, stranger: Person) -> None:
    inspected(owner)
    inspected(stranger, CUT)
    quarantined, waits = accept(owner), accept(stranger)
    Capture.objects.filter(id=quarantined).update(state=State.QUARANTINED, attempt=3)
    past = timezone.now() - timedelta(hours=1)
    Capture.objects.filter(id=waits).update(finished_at=past, due_at=past)
    found = metrics()
    assert found["captures", "inspected"] == 2
    assert found["captures", "quarantined"] == found["captures", "received"] == 1
    assert found["captures_by_attempts", "3"] == 1
    assert found["inspections", "complete"] == found["inspections", "cut-off"] == 1
    assert found["findings", "error"] >= 1
    assert found["body_bytes",] == 3 * len(WHOLE) + len(CUT)
    assert found["overdue_captures",] == 1
    assert 3600 <= found["oldest_pending_seconds",] < 3700


def test_reinspections_under_way_are_added_up(key: str, owner: Person, stranger: Person) -> None:
    for person in (owner, owner, stranger):
        grow_old(inspected(person))
    reinspection.open_jobs()
    found = metrics()
    assert (found["reinspection_captures", "total"], found["reinspection_captures", "done"]) == (
        3,
        0,
    )
    read_everything_again()
    assert metrics()["reinspection_captures", "total"] == 0


def test_nothing_of_a_team_is_told(key: str, owner: Person, stranger: Person) -> None:
    body = b'{"object":"chat.completion","model":"canary-model","choices":[]}'
    ids = [inspected(owner, body), inspected(stranger, body)]
    text = ask("GET", "/metrics", headers=bearer(KEY)).body.decode()
    for told in (*map(str, ids), "canary", "default", "elsewhere", "olga"):
        assert told not in text


def test_asking_costs_a_fixed_number_of_queries(key: str, owner: Person) -> None:
    with CaptureQueriesContext(connection) as few:
        metrics()
    for _ in range(5):
        inspected(owner)
    with CaptureQueriesContext(connection) as more:
        metrics()
    assert len(few) == len(more) <= 8


def test_the_key_may_stand_in_a_file(tmp_path: Any) -> None:
    (tmp_path / "key").write_text("from a file\n")
    given = {**os.environ, "INSPECTOR_METRICS_KEY_FILE": str(tmp_path / "key")}
    code = "from inspector import settings; print(settings.METRICS_KEY)"
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True)
    assert done.stdout == "from a file\n"
