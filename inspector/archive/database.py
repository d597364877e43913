"""What differs between the databases, and nowhere else; how they are reached is in ``stack``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from django.core.management.color import no_style
from django.db import InterfaceError, InternalError, OperationalError, connection, transaction
from django.db.models import Model, QuerySet
from django.utils import timezone
from psycopg.errors import LockNotAvailable

AnyModel = TypeVar("AnyModel", bound=Model)

UNAVAILABLE = (OperationalError, InterfaceError, InternalError)
"""It cannot be done now: the database is down, locked, full or (PostgreSQL's last) read-only."""

ROWS_AT_ONCE = 16
"""That SQLite is handed; each may hold a body."""

_ARRIVALS = 1
"""Tells this use of PostgreSQL's advisory locks from others."""


def locked(rows: QuerySet[AnyModel]) -> QuerySet[AnyModel]:
    """These rows for this transaction alone, without waiting for those of another.

    Where rows cannot be locked one by one, the transaction itself is exclusive from its first
    statement on (SQLite, ``transaction_mode=IMMEDIATE``).
    """
    if connection.features.has_select_for_update_skip_locked:
        return rows.select_for_update(skip_locked=True)
    return rows


def arrival_time(team_id: int) -> datetime:
    """Now, later than every arrival of this team that is committed or will be before this one.

    A list is in the order of these times, and whoever asks for what came after its newest row must
    miss none. So from here to its commit a transaction is its team's only one: SQLite's is alone
    anyway, PostgreSQL's takes a lock, and the time from the one clock that all hosts share.
    """
    if connection.vendor != "postgresql":
        return timezone.now()
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT clock_timestamp() FROM pg_advisory_xact_lock(%s, %s)", [_ARRIVALS, team_id]
        )
        (now,) = cursor.fetchone()
    assert isinstance(now, datetime)
    return now


@contextmanager
def lock_timeout(milliseconds: int) -> Iterator[None]:
    """How long a statement inside waits for a lock, 0 for as long as it takes.

    SQLite has no locks on tables: there a transaction waits for its turn as a whole.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('lock_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{milliseconds}ms"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])


def is_lock_timeout(error: Exception) -> bool:
    return isinstance(error.__cause__, LockNotAvailable)


@contextmanager
def snapshot() -> Iterator[None]:
    """All that is read inside is of one moment, and no writer waits for it."""
    if connection.vendor == "postgresql":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
        return
    # Django would begin an immediate transaction, which keeps every writer out. This one reads what
    # the log (WAL) held at its first read, while others go on writing behind that.
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            cursor.execute("SELECT 1 FROM sqlite_master LIMIT 1")
            yield
        finally:
            cursor.execute("ROLLBACK")


def insert(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Many rows, their values as the driver takes them; only a few are in memory at once."""
    quote = connection.ops.quote_name
    into = f"{quote(table)} ({', '.join(map(quote, columns))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        statement = f"INSERT INTO {into} VALUES ({', '.join(['%s'] * len(columns))})"
        left = iter(rows)
        while batch := list(islice(left, ROWS_AT_ONCE)):
            cursor.executemany(statement, batch)


def number_on(models: Sequence[type[Model]]) -> None:
    """Rows that came with their numbers do not move a sequence; the next number is above them."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)
