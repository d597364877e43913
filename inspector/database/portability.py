"""All that differs between PostgreSQL and SQLite but the settings (``configuration.stack``)."""

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
    DatabaseError,
    InterfaceError,
    InternalError,
    OperationalError,
    connection,
    transaction,
)
from django.db.models import (
    BigIntegerField,
    CharField,
    F,
    Func,
    Model,
    QuerySet,
    TextField,
    Value,
)
from django.db.models.lookups import IContains, IEndsWith, IStartsWith

from inspector.database import lock_wait

AnyModel = TypeVar("AnyModel", bound=Model)

# The database cannot do it now: down, locked, full or (PostgreSQL's InternalError) read-only.
UNAVAILABLE = (OperationalError, InterfaceError, InternalError)

SQLSTATE = "sqlstate"
LOCK_NOT_AVAILABLE, QUERY_CANCELED, DISK_FULL = "55P03", "57014", "53100"
# Prefixes of SQLSTATEs that do not blame the rows: no connection, read-only, deadlock, out of disk
# or memory, lock not available, operator intervention (PostgreSQL manual, appendix A).
_TRANSIENT_STATES = ("08", "25006", "40", "53", "55P03", "57")
_TRANSIENT_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
}

# Rows per statement on SQLite; each may hold a body.
ROWS_AT_ONCE = 16

# Instructions of SQLite's virtual machine between two looks at the clock: below a millisecond.
STEPS_BETWEEN_LOOKS = 10_000

AT = "at"


class Literal(Value):
    """A text of our own that stands in the statement itself.

    SQLite reads from a partial index whose condition is a list only where the statement has that
    list: parameters in one may have any value. PostgreSQL knows the values when it plans.
    """

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[str | int, ...]]:
        return "'{}'".format(str(self.value).replace("'", "''").replace("%", "%%")), ()


def literals(values: Iterable[str]) -> list[Literal]:
    return [Literal(value) for value in values]


def has_one_writer() -> bool:
    """Return True for SQLite, where writers wait for each other whatever they write."""
    return connection.vendor == "sqlite"


def overwrites_deleted_rows() -> bool:
    """Tell whether the bytes of a deleted row are overwritten with its deletion: by SQLite's
    ``secure_delete``, while PostgreSQL leaves them to ``VACUUM``.
    """
    return connection.vendor == "sqlite"


def skip_locked(rows: QuerySet[AnyModel]) -> QuerySet[AnyModel]:
    """Lock rows for this transaction, skipping those that another one holds.

    SQLite has no row locks: there the transaction is exclusive from its first statement on
    (``transaction_mode=IMMEDIATE``).
    """
    if connection.features.has_select_for_update_skip_locked:
        # Two workers take different rows, where the second would wait for the first and find none
        # left.
        return rows.select_for_update(skip_locked=True)
    return rows


def advisory_lock(what: int, number: int) -> None:
    """Take an exclusive lock until the transaction ends.

    SQLite needs none: its transactions are exclusive from their first statement on.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [what, number])


def shared_advisory_locks(what: int, numbers: Collection[int]) -> None:
    """Take shared locks until the transaction ends: nobody takes one of them exclusively
    meanwhile. Always taken in ascending order, so that transactions cannot deadlock.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_advisory_xact_lock_shared(%s, number) FROM unnest(%s::int[]) AS number",
                [what, sorted(numbers)],
            )


@contextmanager
def lock_timeout(milliseconds: int) -> Iterator[None]:
    """Limits how long statements inside wait for a lock; 0 is no limit.

    Without effect on SQLite, where a transaction waits as a whole.
    """
    if connection.vendor != "postgresql":
        yield
        return
    with connection.cursor() as cursor:
        # Restored by value and not by RESET: the caller may have set another limit itself.
        cursor.execute("SELECT current_setting('lock_timeout')")
        (before,) = cursor.fetchone()
        cursor.execute("SELECT set_config('lock_timeout', %s, false)", [f"{milliseconds}ms"])
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("SELECT set_config('lock_timeout', %s, false)", [before])


def is_transient(error: Exception) -> bool:
    """Tell whether the error is the database's own trouble, whatever it was asked to store."""
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        # The lowest byte; those above tell more closely what happened.
        return getattr(cause, "sqlite_errorcode", 0) & 0xFF in _TRANSIENT_CODES
    if hasattr(cause, SQLSTATE):
        # Without a state nothing was said: the connection broke.
        state = sqlstate(error)
        broken = not state and isinstance(error, OperationalError | InterfaceError)
        return broken or state.startswith(_TRANSIENT_STATES)
    return False


def sqlstate(error: Exception) -> str:
    """PostgreSQL's code of an error; empty for one of SQLite's, or without any. By its attribute:
    where SQLite is used the driver of the other is not even loaded.
    """
    return getattr(error.__cause__, SQLSTATE, None) or ""


def is_lock_timeout(error: Exception) -> bool:
    return sqlstate(error) == LOCK_NOT_AVAILABLE


@contextmanager
def snapshot() -> Iterator[None]:
    """Everything read inside is of one moment, without blocking writers."""
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
            # A deferred transaction takes its snapshot with the first read, not with BEGIN.
            cursor.execute("SELECT 1 FROM sqlite_master LIMIT 1")
            yield
        finally:
            cursor.execute("ROLLBACK")


def truncate_wal() -> bool:
    """Empty SQLite's log (WAL), so that nothing that was deleted stays in it.

    False where somebody reads or writes just now, or inside of a transaction: then it is for the
    next time. PostgreSQL's log is its operator's (docs/forgetting.md).
    """
    if connection.vendor != "sqlite":
        return True
    if connection.in_atomic_block:
        return False
    # Writers wait for it while it waits for readers.
    with lock_wait.brief_lock_wait(), connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        is_busy, _, _ = cursor.fetchone()
    return not is_busy


def insert_values(table: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Many rows, their values as the driver takes them; only a few are in memory at once."""
    quote = connection.ops.quote_name
    into = f"{quote(table)} ({', '.join(map(quote, columns))})"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # COPY streams: bodies of many megabytes are never in memory together.
            with cursor.copy(f"COPY {into} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
            return
        statement = f"INSERT INTO {into} VALUES ({', '.join(['%s'] * len(columns))})"
        left = iter(rows)
        while batch := list(islice(left, ROWS_AT_ONCE)):
            cursor.executemany(statement, batch)


def advance_sequences(models: Sequence[type[Model]]) -> None:
    """Rows that came with their numbers do not move a sequence; the next number is above them."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), models):
            cursor.execute(statement)


class StatementTimeout(Exception):
    """A statement was stopped at its time limit; it changed nothing."""


@contextmanager
def time_limit(milliseconds: int) -> Iterator[None]:
    """Raise ``StatementTimeout`` where the statements inside together take longer.

    For queries whose cost depends on the request, so that their end keeps nobody else waiting.
    """
    postgresql = connection.vendor == "postgresql"
    with _statement_timeout(milliseconds) if postgresql else _deadline(milliseconds):
        try:
            yield
        except OperationalError as error:
            if sqlstate(error) == QUERY_CANCELED or str(error) == "interrupted":
                raise StatementTimeout from error
            raise


@contextmanager
def _statement_timeout(milliseconds: int) -> Iterator[None]:
    end = time.monotonic() + milliseconds / 1000

    def within_what_is_left(execute: Callable[..., Any], *statement: Any) -> Any:
        # PostgreSQL limits each statement: what earlier ones used is taken off. 0 is no limit.
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
        with suppress(DatabaseError), connection.wrap_database_errors:
            connection.connection.execute(statement)


@contextmanager
def _deadline(milliseconds: int) -> Iterator[None]:
    connection.ensure_connection()
    end = time.monotonic() + milliseconds / 1000
    # SQLite has no statement timeout; a handler that returns True interrupts the statement.
    connection.connection.set_progress_handler(lambda: time.monotonic() > end, STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        connection.connection.set_progress_handler(None, 0)


class _ByIlike:
    """Spells a lookup so that PostgreSQL's statistics of the column say how often it is so.

    By ``UPPER`` it takes a common word for a rare one, and sorts all that has it.
    """

    lookup_on_others: str

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        if connection.vendor == "postgresql":
            return f"ILIKE {rhs}"
        return str(connection.operators[self.lookup_on_others]) % rhs


@CharField.register_lookup
@TextField.register_lookup
class ContainsLookup(_ByIlike, IContains):
    lookup_name, lookup_on_others = "holds", "icontains"


@CharField.register_lookup
@TextField.register_lookup
class BeginsLookup(_ByIlike, IStartsWith):
    lookup_name, lookup_on_others = "begins", "istartswith"


@CharField.register_lookup
@TextField.register_lookup
class EndsLookup(_ByIlike, IEndsWith):
    lookup_name, lookup_on_others = "ends", "iendswith"


class TimeSlot(Func):
    """The number of the slot of equal length, counted from 1970, that a time lies in."""

    output_field = BigIntegerField()

    def __init__(self, moment: str, seconds: int) -> None:
        super().__init__(F(moment), seconds=int(seconds))

    def as_postgresql(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "FLOOR(EXTRACT(EPOCH FROM %(expressions)s) / %(seconds)s)::bigint"
        return self.as_sql(compiler, connection, template=template, **more)

    def as_sqlite(self, compiler: Any, connection: Any, **more: Any) -> Any:
        template = "CAST(STRFTIME('%%%%s', %(expressions)s) AS INTEGER) / %(seconds)s"
        return self.as_sql(compiler, connection, template=template, **more)


def count_groups(rows: QuerySet[Any], columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Count rows by the values of ``columns`` in the database, so that no row is fetched.

    ``columns`` are annotations. Each result has their values, the count, and the least and the
    greatest ``AT``, which is the number of a ``TimeSlot``.
    """
    try:
        sql, parameters = rows.values(*columns, AT).query.sql_with_params()
    # Django found a condition that nothing can match, such as ``IN ()``, and has no SQL for it.
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
