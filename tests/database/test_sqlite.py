"""Waiting for SQLite's one write lock."""

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError

from inspector.configuration import stack
from inspector.database.sqlite import base

INSERT = "INSERT INTO written VALUES (%s)"

pytestmark = [pytest.mark.django_db, pytest.mark.embedded]


@pytest.fixture
def wrapper(tmp_path: Path) -> Iterator[Any]:
    settings = stack.sqlite(tmp_path / "a.sqlite3", is_web=False)
    for name in ("ATOMIC_REQUESTS", "CONN_HEALTH_CHECKS"):
        settings[name] = False
    settings |= {"AUTOCOMMIT": True, "TIME_ZONE": None, "USER": "", "PASSWORD": "", "HOST": ""}
    made: Any = base.DatabaseWrapper(settings)
    made.connect()
    made.connection.execute("CREATE TABLE written (number INTEGER)")
    yield made
    made.close()


@pytest.fixture
def other(wrapper: Any, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """Another process, which writes."""
    made = sqlite3.connect(tmp_path / "a.sqlite3", isolation_level=None)
    made.execute("BEGIN IMMEDIATE")
    yield made
    made.close()


def begin(wrapper: Any) -> None:
    wrapper.set_autocommit(False, force_begin_transaction_with_broken_autocommit=True)


def limit_ms(wrapper: Any) -> int:
    (limit,) = wrapper.connection.execute("PRAGMA busy_timeout").fetchone()
    return int(limit)


def test_a_transaction_begins_as_soon_as_no_other_writes(
    wrapper: Any, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[float]()

    def sleep(seconds: float) -> None:
        asked.append(seconds)
        assert limit_ms(wrapper) == 0
        if len(asked) == 2:
            other.execute("COMMIT")

    # Of this module alone: threads of other tests go by the clock, too.
    monkeypatch.setattr(base, "time", SimpleNamespace(sleep=sleep, monotonic=time.monotonic))
    begin(wrapper)
    assert asked == [0.003, 0.003]
    assert wrapper.connection.in_transaction
    assert limit_ms(wrapper) == 20_000


def test_it_fails_after_the_limit_that_is_set(
    wrapper: Any, other: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter([100.0, 100.2, 100.5])
    clock = SimpleNamespace(monotonic=lambda: next(now), sleep=time.sleep)
    monkeypatch.setattr(base, "time", clock)
    wrapper.connection.execute("PRAGMA busy_timeout = 500")
    with pytest.raises(OperationalError, match="locked") as raised:
        begin(wrapper)
    assert isinstance(raised.value.__cause__, sqlite3.OperationalError)
    assert limit_ms(wrapper) == 500


def test_it_fails_at_once_for_another_reason(wrapper: Any) -> None:
    wrapper.connection.execute("BEGIN")
    with pytest.raises(OperationalError, match="within a transaction"):
        begin(wrapper)


@pytest.mark.parametrize("is_many", [False, True])
def test_a_statement_that_failed_is_not_held_by_its_error(
    wrapper: Any, other: sqlite3.Connection, is_many: bool
) -> None:
    wrapper.connection.execute("PRAGMA busy_timeout = 0")
    cursor = wrapper.cursor()
    with pytest.raises(OperationalError, match="locked"):
        if is_many:
            cursor.executemany(INSERT, [(1,)])
        else:
            cursor.execute(INSERT, (1,))
    with pytest.raises(sqlite3.ProgrammingError, match="closed cursor"):
        cursor.cursor.fetchone()
