"""Requests, inspections and work in numbers, by program and class, for all processes of a host."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from django.db import DatabaseError

from inspector.archive.inspection import projection_store
from inspector.metrics.figures import Figures, figures_in
from inspector.metrics.process_slot import FILE_BYTES
from inspector.metrics.route_class import RouteClass
from inspector.operations.sweeping import KINDS
from inspector.work import queries as work
from inspector.work.run import Kind, run_one
from tests.archive.samples import CUT, WHOLE, accept, inspect_all, inspected
from tests.counted import counted_in, sums
from tests.people import Person, ask


@pytest.fixture
def counted(tmp_path: Path) -> Iterator[Figures]:
    with counted_in(tmp_path / "metrics") as found:
        yield found


def test_each_request_is_counted_timed_and_weighed_by_its_class(
    counted: Figures, owner: Person
) -> None:
    assert owner.ask("POST", "/api/v1/captures/", WHOLE).status == 202
    listed = owner.get("/api/v1/captures/")
    assert owner.browser().get(f"/t/{owner.team.slug}/captures/").status_code == 200
    assert ask("GET", "/livez").status == 200
    found = sums()
    assert found["requests_total", "web", "intake", "202"] == 1
    assert found["requests_total", "web", "api_read", "200"] == 1
    assert found["requests_total", "web", "page", "200"] == 1
    assert found["requests_total", "web", "health", "200"] == 1
    assert found["request_size_bytes_sum", "web", "intake"] == len(WHOLE)
    assert found["response_size_bytes_sum", "web", "api_read"] == len(listed.body)
    assert found["request_duration_seconds_count", "web", "page"] == 1


def test_refusals_of_strangers_are_counted_by_their_status(
    counted: Figures, owner: Person, teammate: Person, stranger: Person
) -> None:
    capture = inspected(owner)
    for person in (owner, teammate, stranger):
        person.get(f"/api/v1/captures/{capture}/")
    ask("GET", f"/api/v1/captures/{capture}/")
    found = sums()
    assert found["requests_total", "web", "api_read", "200"] == 2
    assert found["requests_total", "web", "api_read", "404"] == 1
    assert found["requests_total", "web", "api_read", "401"] == 1


def test_a_body_that_announces_no_number_is_counted_without_one(counted: Figures) -> None:
    counted.request(RouteClass.INTAKE, 202, 0.01, 0, 10)
    assert sums()["request_size_bytes_count", "web", "intake"] == 0


def test_inspections_are_timed_and_so_is_their_wait(counted: Figures, owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    found = sums()
    assert found["inspection_duration_seconds_count", "web", "inspected"] == 2
    assert found["inspection_size_bytes_sum", "web", "inspected"] == len(WHOLE) + len(CUT)
    assert found["inspection_wait_seconds_count", "web"] == 2


def test_an_inspection_that_failed_is_counted_as_that(
    counted: Figures, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(projection_store, "store_rows", refuse)
    accept(owner)
    inspect_all()
    found = sums()
    assert found["inspection_duration_seconds_count", "web", "failed"] == 1
    assert ("inspection_wait_seconds_count", "web") not in found


def test_a_turn_at_work_is_timed_by_its_kind(counted: Figures, db: None) -> None:
    def fail(_: object) -> bool:
        raise ValueError

    kind = Kind("a kind", fail)
    work.open_work(kind.name, None)
    assert run_one(kind)
    assert sums()["work_turn_duration_seconds_count", "web", "failed", "a kind"] == 1


def test_nothing_of_a_capture_a_team_or_an_address_is_in_a_file(
    counted: Figures, owner: Person, tmp_path: Path
) -> None:
    capture = inspected(owner, b'{"object":"chat.completion","model":"canary","choices":[]}')
    owner.get(f"/api/v1/captures/{capture}/?secret=canary")
    owner.get("/api/v1/canary/")
    for file in (tmp_path / "metrics").iterdir():
        told = file.read_bytes()
        for each in (str(capture), "canary", owner.team.slug, owner.key):
            assert each.encode() not in told


def test_all_series_fit_into_the_room_that_was_taken(counted: Figures, tmp_path: Path) -> None:
    codes = [200, 201, 202, 204, 206, *range(300, 309), *range(400, 430), *range(500, 505)]
    for route, code in product(RouteClass, codes):
        counted.request(route, code, 0.1, 1, 1)
    for outcome in ("inspected", "failed", "put_off", "too_late"):
        counted.inspection(outcome, 0.1, 1)
    for kind, outcome in product(KINDS, ("done", "failed")):
        counted.work_turn(kind.name, outcome, 0.1)
    counted.inspected_after(1)
    for file in (tmp_path / "metrics").iterdir():
        assert file.stat().st_size == FILE_BYTES


def test_a_folder_that_takes_no_files_leaves_everything_uncounted(tmp_path: Path) -> None:
    (tmp_path / "metrics").write_text("")
    assert figures_in(tmp_path / "metrics", "web") is None
