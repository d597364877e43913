import pytest
from django.conf import LazySettings

from inspector.archive.models import Pulse
from inspector.archive.storage import disk_space
from tests.archive.disks import disk
from tests.archive.samples import accept
from tests.people import Person, ask, bearer


def test_whoever_answers_is_alive(db: None) -> None:
    answer = ask("GET", "/livez")
    assert (answer.status, answer.json) == (200, {"alive": True})


def test_ready_is_who_could_accept_a_capture(owner: Person, stranger: Person) -> None:
    accept(owner)
    accept(stranger)
    answer = ask("GET", "/readyz")
    assert answer.status == 200
    assert answer.json == {
        "ready": True,
        "checks": {"migrated": "yes", "first_team": "yes", "can_commit": "yes", "has_room": "yes"},
    }
    assert Pulse.objects.count() == 1


def test_what_waits_is_told_to_operators_alone(owner: Person, settings: LazySettings) -> None:
    accept(owner)
    assert "totals" not in ask("GET", "/readyz", headers=bearer("")).json
    settings.METRICS_KEY = "of a monitoring system"
    assert "totals" not in ask("GET", "/readyz", headers=bearer(owner.key)).json
    answer = ask("GET", "/readyz", headers=bearer(settings.METRICS_KEY))
    assert answer.json["totals"] == {"pending": 1, "oldest_pending_seconds": 0}


def test_an_archive_without_a_team_is_not_ready(db: None) -> None:
    answer = ask("GET", "/readyz")
    assert answer.status == 503
    assert answer.json["checks"] == {
        "migrated": "yes",
        "first_team": "no",
        "can_commit": "yes",
        "has_room": "yes",
    }
    assert "totals" not in answer.json


@pytest.mark.embedded
def test_a_nearly_full_disk_is_not_ready_for_more(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disk_space.os, "statvfs", lambda path: disk(total=1 << 40, left=1 << 20))
    answer = ask("GET", "/readyz")
    assert answer.status == 503
    assert answer.json["checks"]["has_room"] == "no"
