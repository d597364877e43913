"""What differs between the databases, and nowhere else; how they are reached is in ``stack``."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from math import ceil
from typing import Any, TypeVar

from django.core.exceptions import EmptyResultSet
from django.core.management.color import no_style
from django.db import (
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    transaction,
)
from django.db.models import BigIntegerField, CharField, F, Func, Model, QuerySet
from django.db.models.lookups import IContains
from psycopg import Error as PostgresError
from psycopg.errors import LockNotAvailable, QueryCanceled

from inspector import lock_wait

AnyModel = TypeVar("AnyModel", bound=Model)

UNAVAILABLE = (OperationalError, InterfaceError, InternalError)
"""It cannot be done now: the database is down, locked, full or (PostgreSQL's last) read-only."""

_PASSING_STATES = ("08", "25006", "40", "53", "55P03", "57")
"""How SQLSTATEs begin that say nothing of the rows: no connection, read-only, a deadlock, no room
or memory, a lock that others hold, an operator (PostgreSQL's appendix A)."""
_PASSING_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}

ROWS_AT_ONCE = 16
"""That SQLite is handed; each may hold a body."""

STEPS_BETWEEN_LOOKS = 10_000
"""Of SQLite's machine, between two looks at the clock: less than a millisecond."""

AT = "at"


def locked(rows: QuerySet[AnyModel]) -> QuerySet[AnyModel]:
    """These rows for this transaction alone, without waiting for those of another.

    Where rows cannot be locked one by one, the transaction itself is exclusive from its first
    statement on (SQLite, ``transaction_mode=IMMEDIATE``).
    """
    if connection.features.has_select_for_update_skip_locked:
        return rows.select_for_update(skip_locked=True)
    return rows


def take_turns(what: int, number: int) -> None:
    """Until the transaction ends this caller is the only one in it who takes the same turn.

    SQLite's transactions are alone from their first statement on.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [what, number])


def share_turns(what: int, numbers: Collection[int]) -> None:
    """Until the transaction ends nobody takes one of these turns; others may share them.

    Always in one order, so that none waits in a circle.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock_shared(%s, number) FROM unnest(%s::int[]) AS number",
                [what, sorted(numbers)],
            )


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


def is_passing(error: Exception) -> bool:
    """Whether it is the database's trouble alone, whatever it was asked to store."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # The lowest byte; those above tell more closely what happened.
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _PASSING_CODES
    if isinstance(cause, PostgresError):
        # Without a state nothing was said: the connection broke.
        state = cause.sqlstate
        broken = state is None and isinstance(error, OperationalError | InterfaceError)
        return broken or (state or "").startswith(_PASSING_STATES)
    return False


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


def truncate_log() -> bool:
    """Nothing that was deleted before stays in SQLite's log (WAL).

    False where somebody reads or writes just now, or inside of a transaction: then it is for the
    next time. PostgreSQL's log is its operator's (docs/forgetting.md).
    """
    if connection.vendor != "sqlite":
        return True
    if connection.in_atomic_block:
        return False
    # Writers wait for it while it waits for readers.
    with lock_wait.brief(), connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        is_busy, _, _ = cursor.fetchone()
    return not is_busy


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


class TookTooLong(Exception):
    """A statement was stopped at its limit; it changed nothing and said nothing."""


@contextmanager
def time_limit(milliseconds: int) -> Iterator[None]:
    """Raises ``TookTooLong`` where the statements inside take longer together.

    For questions whose cost depends on what somebody asks; nobody else waits for their end.
    """
    postgresql = connection.vendor == "postgresql"
    with _statement_timeout(milliseconds) if postgresql else _deadline(milliseconds):
        try:
            yield
        except OperationalError as error:
            if isinstance(error.__cause__, QueryCanceled) or str(error) == "interrupted":
                raise TookTooLong from error
            raise


@contextmanager
def _statement_timeout(milliseconds: int) -> Iterator[None]:
    end = time.monotonic() + milliseconds / 1000

    def within_what_is_left(execute: Callable[..., Any], *statement: Any) -> Any:
        left = max(1, ceil((end - time.monotonic()) * 1000))
        _set_in_session(f"SET statement_timeout = {left}")
        return execute(*statement)

    try:
        with connection.execute_wrapper(within_what_is_left):
            yield
    finally:
        _set_in_session("RESET statement_timeout")


def _set_in_session(statement: str) -> None:
    # Nothing is left to be set on a connection that broke, or in a transaction that failed.
    if connection.connection is not None:
        with suppress(PostgresError):
            connection.connection.execute(statement)


@contextmanager
def _deadline(milliseconds: int) -> Iterator[None]:
    connection.ensure_connection()
    end = time.monotonic() + milliseconds / 1000
    connection.connection.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        connection.connection.set_progress_handler(None, 0)


@CharField.register_lookup
class Holds(IContains):
    """``icontains``, spelt so that PostgreSQL's statistics of the column say how often it is so.

    By ``UPPER`` it takes a common word for a rare one, and sorts all that has it.
    """

    lookup_name = "holds"

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        if connection.vendor == "postgresql":
            return f"ILIKE {rhs}"
        return str(connection.operators["icontains"]) % rhs


class Slot(Func):
    """Which one of equal stretches of time, counted from 1970, a moment is in."""

    output_field = BigIntegerField()

    def __init__(self, moment: str, seconds: int) -> None:
        super().__init__(F(moment), seconds=int(seconds))

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "FLOOR(EXTRACT(EPOCH FROM %(expressions)s) / %(seconds)s)::bigint"
        return self.as_sql(compiler, connection, template=template, **more)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "CAST(STRFTIME('%%%%s', %(expressions)s) AS INTEGER) / %(seconds)s"
        return self.as_sql(compiler, connection, template=template, **more)


def tally(rows: QuerySet[Any], columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """How many of the rows are alike in these columns: their values, and how many.

    ``columns`` are annotations, their values as the database spells them; of ``AT``, which is the
    number of a ``Slot``, least and greatest follow. Counted there, for the rows need not come here.
    """
    try:
        sql, parameters = rows.values(*columns, AT).query.sql_with_params()
    except EmptyResultSet:
        return []
    names = ", ".join(map(connection.ops.quote_name, columns))
    at = connection.ops.quote_name(AT)
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT {names}, COUNT(*), MIN({at}), MAX({at}) FROM ({sql}) AS counted"
            f" GROUP BY {names}",
            parameters,
        )
        return list(cursor.fetchall())
