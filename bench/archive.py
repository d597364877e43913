"""How long the archive's list, its counts and its status line take, however large the archive is.

    python3 bench/archive.py [--rows N ...] [--rounds N] [--sqlite] [--first] [--database URL]

For each number of rows a database of a private PostgreSQL is migrated and filled by SQL
(bench/many_rows.py), and copied to SQLite where that is asked, too; then every question is asked
anew in each round, as web asks it, with ``--first`` those of the list without a filter alone. Told
are the median and the 95th percentile in milliseconds, the median of the processor's time in this
process, and how many statements it took. ``--database`` asks one that is there already: a URL, or
the folder of an embedded archive. Bounded in time. Needs the project's environment.
"""

import argparse
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import psycopg
from many_rows import TABLES, fill
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from development import servers  # noqa: E402

PERSON, TEAM = "bench", "default"
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "inspector.settings",
    "INSPECTOR_BOOTSTRAP": "0",
    "INSPECTOR_ROLE": "web",
    "INSPECTOR_SECRET_KEY": "signs what a benchmark asks for, and nothing else",
}
QUERIES = (
    "",
    "since=7d",
    "verdict=complete",
    "verdict=cut-off",
    "verdict=complete&verdict=cut-off",
    "finding=error",
    "finding=info",
    "finding=timing.stall",
    "model=gpt-4.1",
    "finish_reason=length",
    "cost=computed",
    "cost=lower_bound",
    "cost=unknown",
    "cost=no_usage",
    "cost=no_usage&since=7d",
    "cost=several_makers",
    "cost=unknown&verdict=cut-off",
    "price_table=genai-prices+0.2.3",
    "price_table=override+of+2026-11-01",
    "service_tier=default",
    "service_tier=flex",
    "service_tier=default&service_tier=flex",
    "service_tier=default&since=7d",
    "cost=unknown&service_tier=flex",
    "fingerprint=fp_1",
    "fingerprint=fp_none",
    "missing=service_tier",
    "missing=fingerprint",
    "missing=fingerprint&missing=vendor",
    "tag=checkout",
    "tag=rare",
    "tag=support&tag=eu",
    "verdict=complete&tag=rare&since=7d",
    "q=gpt-4.1",
    "q=nothing",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--sqlite", action="store_true")
    parser.add_argument("--first", action="store_true")
    parser.add_argument("--database", metavar="URL")
    parser.add_argument("--minutes", type=int, default=60, help="after which everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.minutes * 60)
    if asked.database:
        measure(asked.database, asked.rounds, QUERIES[:1] if asked.first else QUERIES)
        return
    programs = servers.find()
    if programs is None:
        raise SystemExit(f"PostgreSQL is not here: {servers.HOW_TO_GET_THEM}")
    options = ["--rounds", str(asked.rounds), *(["--first"] if asked.first else ())]
    with (
        servers.postgresql(programs, safety=()) as server,
        tempfile.TemporaryDirectory() as folder,
    ):
        for rows in asked.rows:
            url = filled(server, rows)
            for database in (url, *([copied(url, f"{folder}/{rows}")] if asked.sqlite else ())):
                print(f"{rows:,} rows, {database.partition(':')[0]}", flush=True)
                # Django is configured once in a process.
                command = [sys.executable, __file__, "--database", database, *options]
                subprocess.run(command, check=True)


def filled(server: str, rows: int) -> str:
    name = f"rows_{rows}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = urlsplit(server)._replace(path=f"/{name}").geturl()
    make_teams(url)
    with psycopg.connect(url, autocommit=True) as connection:
        teams = dict(connection.execute("SELECT slug, id FROM teams_team").fetchall())
        fill(connection, rows, teams[TEAM], teams["other"])
    return url


def copied(url: str, folder: str) -> str:
    """Return the folder of an embedded archive with the same rows."""
    Path(folder).mkdir()
    make_teams(folder)
    with (
        psycopg.connect(url) as source,
        closing(sqlite3.connect(f"{folder}/inspector.sqlite3", isolation_level=None)) as target,
    ):
        target.execute("BEGIN")
        for table in TABLES:
            with source.cursor(f"all_of_{table}") as rows:
                rows.execute(f"SELECT * FROM {table}")
                names = [f'"{column.name}"' for column in rows.description or ()]
                marks = ", ".join("?" * len(names))
                target.executemany(
                    f"INSERT INTO {table} ({', '.join(names)}) VALUES ({marks})",
                    ([as_sqlite_has_it(value) for value in row] for row in rows),
                )
        target.execute("COMMIT")
        target.execute("ANALYZE")
    return folder


def as_sqlite_has_it(value: Any) -> Any:
    """Return a value as Django writes it there."""
    if isinstance(value, UUID):
        return value.hex
    if isinstance(value, datetime):
        return str(value.astimezone(UTC).replace(tzinfo=None))
    return json.dumps(value) if isinstance(value, list | dict) else value


def environment_of(database: str) -> dict[str, str]:
    """Return where an archive lies: a URL, or the folder of an embedded one."""
    if "://" not in database:
        return {**ENVIRONMENT, "INSPECTOR_DATA_DIR": database}
    # Nothing here rings.
    return {**ENVIRONMENT, "DATABASE_URL": database, "REDIS_URL": "redis://127.0.0.1:1/0"}


def make_teams(database: str) -> None:
    """Make an empty archive with both teams and one owner."""
    for command in (
        ["migrate", "-v", "0"],
        *(["create_owner", PERSON, "--team", team] for team in (TEAM, "other")),
    ):
        subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *command],
            env={**os.environ, **environment_of(database), "INSPECTOR_ROLE": "command"},
            check=True,
            stdout=subprocess.DEVNULL,
        )


def measure(database: str, rounds: int, queries: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {"INSPECTOR_DATA_DIR": folder, **environment_of(database)}
        import django
        from django.core.management import call_command

        django.setup()
        logging.disable()
        call_command("collectstatic", interactive=False, verbosity=0)
        tell(rounds, queries)


def tell(rounds: int, queries: tuple[str, ...]) -> None:
    table = Table("asked", "", "p50 ms", "p95 ms", "processor", "statements", box=None)
    for query in queries:
        for name, ask in questions(query):
            times, processor, statements = timed(ask, rounds)
            p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
            told = f"{median(times):.1f}", f"{p95:.1f}", f"{processor:.1f}", str(statements)
            table.add_row(query or "all", name, *told)
    Console(width=110).print(table)


def questions(query: str) -> Iterator[tuple[str, Callable[[], object]]]:
    from django.contrib.auth import get_user_model
    from django.http import QueryDict
    from django.test import Client
    from django.utils import timezone

    from inspector.archive import queries
    from inspector.archive.listing import state_counts
    from inspector.archive.listing.filter_params import parse_filter_params
    from inspector.teams.access import for_team

    principal = for_team(TEAM)
    assert principal is not None
    captures = queries.for_principal(principal)
    filters = parse_filter_params(dict(QueryDict(query).lists()), timezone.now()).filters
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(get_user_model().objects.get(username=PERSON))
    path = f"/t/{TEAM}/captures/"
    yield "rows", lambda: captures.page(filters=filters)
    yield "page", lambda: got(client, f"{path}?{query}")
    yield "counts", lambda: got(client, f"{path}counts/?{query}", {"HX-Request": "true"})
    if not query:
        yield "account", captures.state_counts
        yield "account, cold", lambda: (state_counts._settled.clear(), captures.state_counts())


def got(client: Any, path: str, headers: dict[str, str] | None = None) -> bytes:
    answer = client.get(path, headers=headers)
    assert answer.status_code == 200, answer
    return bytes(answer.content)


def timed(ask: Callable[[], object], rounds: int) -> tuple[list[float], float, int]:
    """Return the times, the median of the processor's, and how many statements it took."""
    with counted() as statements:
        ask()
    times, processor = [], []
    for _ in range(rounds):
        started, began = time.perf_counter(), time.process_time()
        ask()
        times.append((time.perf_counter() - started) * 1000)
        processor.append((time.process_time() - began) * 1000)
    return sorted(times), median(processor), len(statements)


@contextmanager
def counted() -> Iterator[list[str]]:
    from django.db import connection

    found: list[str] = []

    def note(execute, sql, parameters, many, context):  # type: ignore[no-untyped-def]
        found.append(sql)
        return execute(sql, parameters, many, context)

    with connection.execute_wrapper(note):
        yield found


if __name__ == "__main__":
    main()
