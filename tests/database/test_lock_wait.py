from contextlib import nullcontext

import pytest
from django.db import OperationalError, connection, connections

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
        raise OperationalError("database is locked")


def test_a_courtesy_waits_briefly_and_leaves_the_usual_wait_behind() -> None:
    usual = waits_ms()
    with lock_wait.brief_lock_wait():
        assert waits_ms() == 100
    assert waits_ms() == usual == 20_000


def test_intake_waits_as_long_as_a_patient_client_where_others_give_up_sooner(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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


def test_a_prompt_transaction_asks_again_until_no_other_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(connections["default"], "in_atomic_block", False)
    begun, waits, asked = nullcontext(), list[int](), list[float]()
    answers = iter([OperationalError("database is locked")] * 2)

    def begin() -> nullcontext[None]:
        waits.append(waits_ms())
        if error := next(answers, None):
            raise error
        return begun

    monkeypatch.setattr(lock_wait.transaction, "atomic", begin)
    monkeypatch.setattr(lock_wait.time, "sleep", asked.append)
    with lock_wait.intake_lock_wait(), lock_wait.prompt_transaction():
        assert waits_ms() == 20_000
    assert (waits, asked) == ([0, 0, 0], [0.003, 0.003])


@pytest.mark.parametrize(
    ("error", "limit_ms"), [("database is locked", 0), ("disk I/O error", 20_000)]
)
def test_a_prompt_transaction_fails_after_its_limit_and_for_another_reason(
    error: str, limit_ms: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections["default"], "in_atomic_block", False)

    def begin() -> None:
        raise OperationalError(error)

    monkeypatch.setattr(lock_wait.transaction, "atomic", begin)
    lock_wait._set(limit_ms)
    with pytest.raises(OperationalError, match=error), lock_wait.prompt_transaction():
        pytest.fail("it began")
    assert waits_ms() == limit_ms
    lock_wait._set(None)
