"""How long the archive's list, its counts and its status line take, however large the archive is.

    python3 bench/archive.py [--rows N ...] [--rounds N] [--database URL]

For each number of rows a database of a private PostgreSQL is migrated and filled by SQL
(bench/many_rows.py), then every question is asked anew in each round, as web asks it; told are the
median and the 95th percentile in milliseconds, and how many statements it took. ``--database``
asks one that is there already. Bounded in time. Needs the project's environment.
"""

import argparse
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from many_rows import fill
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
    # Nothing here rings.
    "REDIS_URL": "redis://127.0.0.1:1/0",
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
    parser.add_argument("--database", metavar="URL")
    parser.add_argument("--minutes", type=int, default=60, help="after which everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.minutes * 60)
    if asked.database:
        measure(asked.database, asked.rounds)
        return
    programs = servers.find()
    if programs is None:
        raise SystemExit(f"PostgreSQL is not here: {servers.HOW_TO_GET_THEM}")
    with servers.postgresql(programs, safety=()) as server:
        for rows in asked.rows:
            url = filled(server, rows)
            # Django is configured once in a process.
            command = [sys.executable, __file__, "--database", url, "--rounds", str(asked.rounds)]
            print(f"{rows:,} rows", flush=True)
            subprocess.run(command, check=True)


def filled(server: str, rows: int) -> str:
    name = f"rows_{rows}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = urlsplit(server)._replace(path=f"/{name}").geturl()
    for command in (
        ["migrate", "-v", "0"],
        *(["create_owner", PERSON, "--team", t] for t in (TEAM, "other")),
    ):
        environment = {**os.environ, **ENVIRONMENT, "DATABASE_URL": url}
        subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *command],
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
        )
    with psycopg.connect(url, autocommit=True) as connection:
        teams = dict(connection.execute("SELECT slug, id FROM teams_team").fetchall())
        fill(connection, rows, teams[TEAM], teams["other"])
    return url


def measure(url: str, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update({**ENVIRONMENT, "DATABASE_URL": url, "INSPECTOR_DATA_DIR": folder})
        import django
        from django.core.management import call_command

        django.setup()
        logging.disable()
        call_command("collectstatic", interactive=False, verbosity=0)
        tell(rounds)


def tell(rounds: int) -> None:
    table = Table("asked", "", "p50 ms", "p95 ms", "statements", box=None)
    for query in QUERIES:
        for name, ask in questions(query):
            times, statements = timed(ask, rounds)
            p95 = times[min(len(times) - 1, int(len(times) * 0.95))]
            table.add_row(
                query or "all", name, f"{times[len(times) // 2]:.1f}", f"{p95:.1f}", str(statements)
            )
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


def timed(ask: Callable[[], object], rounds: int) -> tuple[list[float], int]:
    with counted() as statements:
        ask()
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        ask()
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times), len(statements)


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
