import sqlite3

import pytest
from django.db import OperationalError, connection

from inspector.archive.storage.disk_space import DiskNearlyFull
from inspector.database import lock_wait

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture(autouse=True)
def usual_again() -> None:
    lock_wait._brief_until = 0.0


def waits_ms() -> int:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout")
        return int(cursor.fetchone()[0])


def fail() -> None:
    with pytest.raises(OperationalError), lock_wait.intake_lock_wait():
        raise OperationalError("database is locked") from sqlite3.OperationalError()


def test_a_courtesy_waits_briefly_and_leaves_the_usual_wait_behind() -> None:
    usual = waits_ms()
    with lock_wait.brief_lock_wait():
        assert waits_ms() == 100
    assert waits_ms() == usual == 20_000


def test_intake_waits_longer_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "timeout", 1.5)
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 20_000
    assert waits_ms() == 1_500
    monkeypatch.undo()
    lock_wait._set(None)


def test_only_the_first_waits_the_usual_time_in_vain() -> None:
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 20_000
    fail()
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 100
    assert waits_ms() == 20_000


def test_a_refusal_of_our_own_is_no_wait_in_vain() -> None:
    with pytest.raises(DiskNearlyFull), lock_wait.intake_lock_wait():
        raise DiskNearlyFull("the disk of the data directory is nearly full")
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 20_000


def test_one_success_makes_the_wait_the_usual_one_again() -> None:
    fail()
    with lock_wait.intake_lock_wait():
        pass
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 20_000


def test_a_failure_is_forgotten_after_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    fail()
    later = lock_wait.time.monotonic() + 2.1
    monkeypatch.setattr(lock_wait.time, "monotonic", lambda: later)
    with lock_wait.intake_lock_wait():
        assert waits_ms() == 20_000
