"""Who reads a capture stands in the audit log of a team that wants it: once an hour, at each door."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
import time_machine
from django.db import OperationalError

from inspector.archive import deletion
from inspector.teams import audit, audit_settings
from inspector.teams.audit import Act
from inspector.teams.audit_settings import AuditSettings
from inspector.teams.models import AuditEntry
from tests.archive.samples import inspected
from tests.people import Person

AT = datetime.fromisoformat("2026-11-24T20:59:00+00:00")


@pytest.fixture
def noting(owner: Person) -> Person:
    """An owner whose team notes who reads."""
    assert audit_settings.change_settings(owner.principal, "default", AuditSettings(True))
    return owner


def reads() -> list[tuple[str, str]]:
    found = AuditEntry.objects.filter(act=Act.CAPTURE_READ).order_by("pk")
    return list(found.values_list("by", "on"))


def test_nothing_is_noted_unless_the_team_wants_it(
    owner: Person, django_assert_num_queries: Any
) -> None:
    capture = inspected(owner)
    assert owner.browser().get(f"/captures/{capture}/").status_code == 200
    assert owner.get(f"/api/v1/captures/{capture}/raw/").status == 200
    assert reads() == []


def test_a_page_with_its_parts_is_one_entry_an_hour_for_each_reader(
    noting: Person, teammate: Person
) -> None:
    capture = inspected(noting)
    with time_machine.travel(AT, tick=False) as clock:
        for person in (noting, teammate):
            browser = person.browser()
            for path in ("", "raw/", "lines/", "state/", ""):
                assert browser.get(f"/captures/{capture}/{path}").status_code == 200
        assert reads() == [("user olga", str(capture)), (f"user {teammate.user}", str(capture))]
        clock.shift(60)
        noting.browser().get(f"/captures/{capture}/")
        assert len(reads()) == 3


PARTS = ("", "raw/", "completion/", "timeline/", "findings/")


@pytest.mark.parametrize("part", PARTS)
def test_a_key_that_reads_any_part_is_noted_by_its_name(noting: Person, part: str) -> None:
    capture = inspected(noting)
    assert noting.get(f"/api/v1/captures/{capture}/{part}").status == 200
    [(by, on)] = reads()
    assert by.endswith("… (olga's service)") and on == str(capture)


def test_each_side_of_a_comparison_is_read(noting: Person) -> None:
    first, second = inspected(noting), inspected(noting)
    assert noting.browser().get(f"/captures/compare/?id={first}&id={second}").status_code == 200
    assert sorted(on for _, on in reads()) == sorted([str(first), str(second)])


def test_lists_and_changes_are_no_reading(noting: Person) -> None:
    capture = inspected(noting)
    browser = noting.browser()
    assert browser.get("/t/default/captures/").status_code == 200
    assert noting.get("/api/v1/captures/").status == 200
    assert browser.post(f"/captures/{capture}/note/", {"note": "x"}).status_code < 400
    assert reads() == []


def test_a_stranger_reads_nothing_and_leaves_no_entry(noting: Person, stranger: Person) -> None:
    capture = inspected(noting)
    assert stranger.browser().get(f"/captures/{capture}/").status_code == 404
    assert stranger.get(f"/api/v1/captures/{capture}/").status == 404
    assert noting.get(f"/api/v1/captures/{UUID(int=1)}/").status == 404
    assert noting.get(f"/api/v1/captures/{quote('no id')}/").status == 404
    assert deletion.delete(noting.principal, capture)
    assert noting.get(f"/api/v1/captures/{capture}/").status in (404, 410)
    assert reads() == []


def test_a_team_that_notes_nothing_is_not_noted_for_one_that_does(
    noting: Person, stranger: Person
) -> None:
    theirs = inspected(stranger)
    assert stranger.browser().get(f"/captures/{theirs}/").status_code == 200
    assert reads() == []


def test_what_cannot_be_noted_is_not_shown(noting: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    capture = inspected(noting)

    def refuse(*args: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(audit, "note_read", refuse)
    assert noting.get(f"/api/v1/captures/{capture}/raw/").status == 503


def test_of_two_that_note_the_same_at_once_one_entry_stays(
    noting: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    capture = str(inspected(noting))
    reader, team_id = noting.principal, noting.team.pk
    monkeypatch.setattr(type(AuditEntry.objects.none()), "exists", lambda self: False)
    with time_machine.travel(AT, tick=False):
        audit.note_read(reader, team_id, capture)
        audit.note_read(reader, team_id, capture)
    assert len(reads()) == 1
