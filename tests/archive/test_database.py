"""Several hosts on one database: who works on a row, and in which order rows are seen."""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from django.conf import LazySettings
from django.db import (
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    transaction,
)
from psycopg import errors as postgresql

from inspector.archive import queries
from inspector.archive.inspection import claims
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.intake import capture_insert
from inspector.archive.models import Capture
from inspector.database.portability import (
    StatementTimeout,
    is_transient,
    shared_advisory_locks,
    time_limit,
)
from tests.archive.samples import accept
from tests.people import Person

pytestmark = [pytest.mark.both_stacks, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def nobody_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorbell, "ring", lambda: None)


def at_once(works: Iterable[Callable[[], Any]]) -> list[Any]:
    """Each in a thread with a connection of its own."""

    def closing(work: Callable[[], Any]) -> Any:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor() as pool:
        return list(pool.map(closing, works))


def test_two_who_claim_at_once_never_get_the_same_row(
    owner: Person, settings: LazySettings
) -> None:
    settings.CLAIM_ROWS = 3
    ids = {accept(owner) for _ in range(60)}

    def claim_all() -> list[Any]:
        found: list[Any] = []
        while claimed := claims.claim():
            found += [capture.pk for capture in claimed]
        return found

    # A claim that meets another's rows may come back with none while there are some left.
    claimed = sum(at_once([claim_all] * 4), []) + claim_all()
    assert Counter(claimed) == Counter(ids)
    assert set(Capture.objects.values_list("attempt", flat=True)) == {1}


@pytest.mark.production
def test_rows_that_another_holds_are_passed_over_without_waiting(owner: Person) -> None:
    ids = {accept(owner) for _ in range(4)}
    held, done = threading.Event(), threading.Event()

    def holds_two() -> set[Any]:
        with transaction.atomic():
            rows = Capture.objects.order_by("received_at").select_for_update()[:2]
            found = {row.pk for row in rows}
            held.set()
            assert done.wait(120)
        return found

    def claims_meanwhile() -> set[Any]:
        assert held.wait(120)
        try:
            return {capture.pk for capture in claims.claim()}
        finally:
            done.set()

    first, second = at_once([holds_two, claims_meanwhile])
    assert first | second == ids and not first & second


def test_whoever_asks_for_what_is_newer_misses_nothing(owner: Person) -> None:
    captures = queries.for_principal(owner.principal)
    newest = captures.newest_arrival()
    accept(owner)
    newest = captures.newest_arrival() or newest
    assert newest is not None
    seen: list[Any] = []
    sending = [lambda: [accept(owner) for _ in range(15)] for _ in range(4)]
    ended = threading.Event()

    def follow() -> None:
        cursor, last = newest, False
        while not last:
            last = ended.is_set()
            page = captures.page(after=cursor)
            seen.extend(row.id for row in page.rows)
            cursor = page.newest or cursor

    def send_all() -> list[Any]:
        try:
            return sum(at_once(sending), [])
        finally:
            ended.set()

    sent, _ = at_once([send_all, follow])
    assert Counter(seen) == Counter(sent)


@pytest.mark.production
def test_arrivals_of_other_teams_do_not_wait(owner: Person, stranger: Person) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        turn = [capture_insert.TEAM_ARRIVAL_LOCK, owner.team.pk]
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", turn)
        (other,) = at_once([lambda: accept(stranger)])
    assert other


COUNTING = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)"
    " SELECT COUNT(*) FROM n"
)


def counted_for(seconds: float) -> None:
    """By statements of which each takes a part of a second only."""
    end = time.monotonic() + seconds
    with connection.cursor() as cursor:
        while time.monotonic() < end:
            cursor.execute(COUNTING)


def said(by: type[Exception], cause: Exception) -> Exception:
    """As Django hands on what a database says."""
    error = by("said by Django")
    error.__cause__ = cause
    return error


def of_sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("said by SQLite")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        said(OperationalError, of_sqlite(sqlite3.SQLITE_BUSY)),
        said(OperationalError, of_sqlite(sqlite3.SQLITE_BUSY_SNAPSHOT)),
        said(OperationalError, of_sqlite(sqlite3.SQLITE_FULL)),
        said(OperationalError, of_sqlite(sqlite3.SQLITE_IOERR_FSYNC)),
        said(OperationalError, postgresql.LockNotAvailable()),
        said(OperationalError, postgresql.DeadlockDetected()),
        said(OperationalError, postgresql.DiskFull()),
        said(OperationalError, postgresql.AdminShutdown()),
        said(InternalError, postgresql.ReadOnlySqlTransaction()),
        said(OperationalError, psycopg.OperationalError("the connection is lost")),
        said(InterfaceError, psycopg.InterfaceError("the connection is closed")),
    ],
)
def test_what_is_the_databases_trouble_alone_passes(error: Exception) -> None:
    assert is_transient(error)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no sense"),
        OperationalError("said by nobody"),
        said(OperationalError, of_sqlite(sqlite3.SQLITE_ERROR)),
        said(OperationalError, of_sqlite(sqlite3.SQLITE_TOOBIG)),
        said(DataError, postgresql.StringDataRightTruncation()),
        said(IntegrityError, postgresql.UniqueViolation()),
        said(OperationalError, postgresql.ProgramLimitExceeded()),
        said(InternalError, postgresql.InFailedSqlTransaction()),
        said(DataError, psycopg.DataError("no dumper fits")),
    ],
)
def test_what_the_rows_are_to_blame_for_stays(error: Exception) -> None:
    assert not is_transient(error)


def test_statements_that_take_too_long_together_are_stopped() -> None:
    with pytest.raises(StatementTimeout), time_limit(500):
        counted_for(10)


def test_what_is_within_its_limit_is_not_stopped_nor_what_comes_behind_it() -> None:
    with time_limit(60_000):
        counted_for(0.1)
    with suppress(StatementTimeout), time_limit(1):
        counted_for(10)
    counted_for(0.1)


@pytest.mark.production
def test_those_who_share_a_turn_do_not_wait_for_each_other() -> None:
    together = threading.Barrier(2)

    def shares(numbers: set[int]) -> None:
        with transaction.atomic():
            shared_advisory_locks(9, numbers)
            together.wait(120)

    at_once([lambda: shares({1, 2}), lambda: shares({3, 2})])
