"""What inspecting costs one process of the worker: time, processor and statements per capture.

    python3 bench/inspecting.py [--store sqlite] [--captures N] [--bytes N] [--profile]

Captures of 2 kB (with --stream: event streams) are accepted by the batch and then claimed, read and
stored in this very process, as a worker does it, without Celery around it. Told are the medians of
the rounds; the last one counts statements. Databases are private and thrown away; PostgreSQL syncs
every commit. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import payloads  # noqa: E402
from systems import every_process  # noqa: E402

from development import servers  # noqa: E402

SQLITE, POSTGRESQL = "sqlite", "postgresql"
JSON, SSE = "application/json", "text/event-stream"
PER_BATCH = 100
PROFILED_LINES = 45


@dataclass(frozen=True, slots=True)
class Round:
    captures: int
    seconds: float
    cpu_seconds: float
    backend_seconds: float
    """Of the processor in PostgreSQL's process for this one; 0 with SQLite, which has none."""


@contextmanager
def installation(store: str) -> Iterator[None]:
    """An empty archive with one team, and Django set up for it."""
    with tempfile.TemporaryDirectory(prefix="inspecting-") as folder:
        os.environ |= {"INSPECTOR_DATA_DIR": folder, "INSPECTOR_ROLE": "worker"}
        os.environ |= {"INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else"}
        os.environ |= {"DJANGO_SETTINGS_MODULE": "inspector.settings"}
        if store == SQLITE:
            _set_up()
            yield
            return
        programs = servers.find()
        if programs is None:
            raise SystemExit(f"PostgreSQL and Redis are not here: {servers.HOW_TO_GET_THEM}")
        with servers.postgresql(programs, safety=()) as url:
            # Nobody rings here.
            os.environ |= {"DATABASE_URL": url, "REDIS_URL": "redis://127.0.0.1:1/0"}
            _set_up()
            yield


def _set_up() -> None:
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def accept(captures: int, asked: argparse.Namespace) -> None:
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange

    sender = _sender()
    for _ in range(0, captures, PER_BATCH):
        bodies = [
            payloads.stream(asked.bytes) if asked.stream else payloads.answer(asked.bytes)
            for _ in range(PER_BATCH)
        ]
        kind = SSE if asked.stream else JSON
        arrivals = [Submission(Exchange.of_body(body, kind)) for body in bodies]
        submission.accept_batch(sender, arrivals)


def _sender() -> Any:
    from inspector.archive.inspection.doorbell import doorbell
    from inspector.teams.access import INGEST, Principal, TeamAccess
    from inspector.teams.models import Team

    # Nobody is to be rung: this process is the only one.
    doorbell.ring = lambda: None  # type: ignore[method-assign]
    team, _ = Team.objects.get_or_create(slug="load", name="Load")
    access = TeamAccess(team.pk, team.slug, team.name, "key", frozenset({INGEST}))
    return Principal(teams=(access,))


def inspect() -> Round:
    from inspector.archive.inspection.tasks import inspect_due

    backend = backend_cpu_seconds()
    captures, began, cpu = 0, time.monotonic(), time.process_time()
    while claimed := inspect_due():
        captures += claimed
    seconds, cpu = time.monotonic() - began, time.process_time() - cpu
    return Round(captures, seconds, cpu, backend_cpu_seconds() - backend)


def backend_cpu_seconds() -> float:
    from django.db import connection

    if connection.vendor != "postgresql":
        return 0.0
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        (pid,) = cursor.fetchone()
    (found,) = (process for process in every_process() if process.id == pid)
    return found.cpu_seconds


def statements(asked: argparse.Namespace) -> Counter[str]:
    """By their first words, of one full claim."""
    from django.db import connection

    counted: Counter[str] = Counter()

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        counted[" ".join(sql.split()[:3])[:60]] += 1
        return execute(sql, params, many, context)

    accept(PER_BATCH, asked)
    with connection.execute_wrapper(count):
        inspect()
    return counted


def told(rounds: list[Round], counted: Counter[str]) -> Table:
    table = Table(box=None, show_header=False)
    table.add_row("captures/s", f"{median(r.captures / r.seconds for r in rounds):,.0f}")
    table.add_row("ms each", f"{median(r.seconds / r.captures for r in rounds) * 1_000:.2f}")
    cpu = median(r.cpu_seconds / r.captures for r in rounds) * 1_000
    table.add_row("CPU ms each, of this process", f"{cpu:.2f}")
    backend = median(r.backend_seconds / r.captures for r in rounds) * 1_000
    table.add_row("CPU ms each, of PostgreSQL's for it", f"{backend:.2f}")
    table.add_row("statements each", f"{counted.total() / PER_BATCH:.2f}")
    for sql, times in counted.most_common(12):
        table.add_row(f"  {sql}", f"{times / PER_BATCH:.2f}")
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--store", choices=(POSTGRESQL, SQLITE), default=POSTGRESQL)
    parser.add_argument("--captures", type=int, default=1_000, help="in each round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--bytes", type=int, default=2_000, help="of each body")
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--claim", type=int, metavar="ROWS", help="instead of as many as usual")
    parser.add_argument("--profile", action="store_true", help="of one more round")
    asked = parser.parse_args()
    with installation(asked.store):
        from django.conf import settings

        rounds = []
        if asked.claim:
            settings.CLAIM_ROWS = asked.claim
        accept(PER_BATCH, asked)
        inspect()
        for _ in range(asked.rounds):
            accept(asked.captures, asked)
            rounds.append(inspect())
        Console(width=120).print(told(rounds, statements(asked)))
        if asked.profile:
            accept(asked.captures, asked)
            profile = cProfile.Profile()
            profile.runcall(inspect)
            pstats.Stats(profile).sort_stats("cumulative").print_stats(PROFILED_LINES)
            pstats.Stats(profile).sort_stats("tottime").print_stats(PROFILED_LINES)


if __name__ == "__main__":
    main()
