"""The two databases as benchmarks see them: made empty, asked for a number, filled raw."""

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from rows import INSERT, TABLE, row

SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
BUSY_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Database:
    """A file of SQLite, or the URL of a database of PostgreSQL."""

    url: str

    @property
    def is_postgresql(self) -> bool:
        return self.url.startswith("postgresql:")

    @contextmanager
    def connected(self) -> Iterator[Any]:
        """Each statement is a transaction of its own unless one is begun."""
        if self.is_postgresql:
            connection: Any = psycopg.connect(self.url, autocommit=True)
        else:
            connection = sqlite3.connect(self.url, timeout=BUSY_SECONDS, isolation_level=None)
            # As inspector.configuration.stack has it.
            connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;")
        try:
            yield connection
        finally:
            connection.close()

    def bytes(self) -> int:
        """All tables and indexes, without the log that is written ahead."""
        sql = "SELECT pg_database_size(current_database())"
        if not self.is_postgresql:
            sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        return self.number(sql)

    def number(self, sql: str) -> int:
        with self.connected() as connection:
            return int(connection.execute(sql).fetchone()[0])

    def make_table(self) -> None:
        with self.connected() as connection:
            for sql in TABLE:
                name = "bytea" if self.is_postgresql else "blob"
                connection.execute(sql.replace("BYTES", name))


def made(server: str | None, folder: Path, name: str) -> Database:
    """Return an empty database; in a folder where no server of PostgreSQL is given."""
    if server is None:
        (folder / name).mkdir(exist_ok=True)
        return Database(str(folder / name / "inspector.sqlite3"))
    with Database(server).connected() as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return Database(urlsplit(server)._replace(path=f"/{name}").geturl())


def inserted(database: Database, bodies: Sequence[bytes], per_commit: int, threads: int) -> float:
    """Rows per second into the bare table, each thread with a connection of its own."""
    insert = INSERT if database.is_postgresql else INSERT.replace("%s", "?")
    many = [bodies[at : at + per_commit] for at in range(0, len(bodies), per_commit)]
    waiting = iter([[row(body) for body in each] for each in many])
    lock = threading.Lock()

    def work() -> None:
        with database.connected() as connection:
            cursor = connection.cursor()
            while rows := _next(waiting, lock):
                if per_commit == 1:
                    cursor.execute(insert, rows[0])
                    continue
                connection.execute("BEGIN")
                cursor.executemany(insert, rows)
                connection.execute("COMMIT")

    return len(bodies) / _seconds([threading.Thread(target=work) for _ in range(threads)])


def _next(waiting: Iterator[list[Any]], lock: threading.Lock) -> list[Any]:
    with lock:
        return next(waiting, [])


def _seconds(threads: Sequence[threading.Thread]) -> float:
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - started


@dataclass(frozen=True, slots=True)
class Counter:
    """Asks for a number again and again over one connection."""

    connection: Any
    sql: str
    backend: int | None
    """The process of the server that answers it: part of no system that is measured."""

    def __call__(self) -> int:
        return int(self.connection.execute(self.sql).fetchone()[0])


@contextmanager
def counter(database: Database, sql: str) -> Iterator[Counter]:
    with database.connected() as connection:
        backend = connection.info.backend_pid if database.is_postgresql else None
        yield Counter(connection, sql, backend)
