import pytest
from django.conf import LazySettings
from django.db import OperationalError

from inspector.archive.models import Pulse
from inspector.archive.status import readiness
from tests.archive.samples import accept, inspected
from tests.people import Person

pytestmark = pytest.mark.both_stacks


def test_everything_is_ready_where_a_team_is(owner: Person) -> None:
    assert readiness.run_checks() == {
        "migrated": True,
        "first_team": True,
        "can_commit": True,
        "has_room": True,
    }
    assert Pulse.objects.count() == 1


def test_without_a_team_nothing_could_be_accepted(db: None) -> None:
    assert readiness.run_checks()["first_team"] is False


def test_a_read_only_database_is_not_ready(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(**kwargs: object) -> None:
        raise OperationalError("attempt to write a readonly database")

    monkeypatch.setattr(Pulse.objects, "update_or_create", refuses)
    assert readiness.run_checks() == {
        "migrated": True,
        "first_team": True,
        "can_commit": False,
        "has_room": False,
    }


def test_totals_count_what_waits_of_all_teams(owner: Person, stranger: Person) -> None:
    assert readiness.queue_backlog() == readiness.Backlog(0, None)
    inspected(owner)
    accept(owner)
    accept(stranger)
    assert readiness.queue_backlog() == readiness.Backlog(2, 0)


def test_however_many_ask_one_look_a_second_is_made(settings: LazySettings) -> None:
    settings.READINESS_SECONDS = 1.0
    now, looks = [10.0], list[float]()

    def look() -> dict[str, bool]:
        looks.append(now[0])
        return {"can_commit": len(looks) == 1}

    latest = readiness.CachedChecks(look, lambda: now[0])
    assert [latest() for _ in range(100)] == [{"can_commit": True}] * 100
    now[0] = 10.9
    assert latest() == {"can_commit": True}
    now[0] = 11.0
    assert latest() == {"can_commit": False}
    assert looks == [10.0, 11.0]
