"""How long the usage page takes, however many captures are behind it, and what counting costs.

    python3 bench/usage.py [--rows N ...] [--rounds N] [--counted N]

For each number of rows an installation of its own (``manage.py up``, PostgreSQL and Redis, private)
is filled by COPY: thirty days of captures, each with one of a few thousand distinct analyses that
the project itself made, with what each gave and with the sums over all. Then the pages are asked
over HTTP as a browser asks, by turns; told are the median and the 95th percentile in milliseconds.
*Counting* is what the projector of the sums adds to inspecting a capture in a worker: the same
captures, with it and without, by turns. Loopback only, bounded in time. Needs the project's
environment.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any
from uuid import UUID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import payloads  # noqa: E402
from databases import POSTGRESQL, Database, made  # noqa: E402
from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402
from systems import ours  # noqa: E402

from development import servers  # noqa: E402

TEAM = "default"
NOBODY = UUID(int=0)
DAYS = 30
TABLES = ("usageseries", "usagesum", "octave")
ANALYSES = 3_000
PER_BATCH = 100
PAGES = {
    "usage, 30 days by model": "/t/default/usage/?range=30d&by=model",
    "by key": "/t/default/usage/?range=30d&by=key",
    "7 days by model": "/t/default/usage/?range=7d&by=model",
    "24 hours by model": "/t/default/usage/?range=24h&by=model",
    "CSV, 30 days by model": "/t/default/usage.csv?range=30d&by=model",
}
MODELS = tuple(f"parcel-{size}-{n}" for size in ("large", "small", "mini") for n in range(1, 11))
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "inspector.settings",
    "INSPECTOR_BOOTSTRAP": "0",
    "INSPECTOR_ROLE": "worker",
    "INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else",
    # Nothing here rings.
    "REDIS_URL": "redis://127.0.0.1:1/0",
}
_numbers = random.Random(30)


# -- what is counted ------------------------------------------------------------------------------


def answer() -> bytes:
    """One of many: thirty models, three tiers, sixty fingerprints; every eighth is cut off."""
    body = json.loads(payloads.answer(1_200))
    prompt, completion = _numbers.randrange(20, 9_000), _numbers.randrange(5, 2_000)
    cached, reasoning = _numbers.randrange(prompt), _numbers.randrange(completion)
    model = _numbers.randrange(len(MODELS))
    body |= {
        "model": MODELS[model],
        "service_tier": _numbers.choice(("default", "default", "flex", "priority")),
        "system_fingerprint": f"fp_{model:02}{_numbers.randrange(2)}",
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": reasoning},
        },
    }
    reasons = ("stop", "stop", "stop", "length", "tool_calls")
    body["choices"][0]["finish_reason"] = _numbers.choice(reasons)
    made = json.dumps(body).encode()
    return made[: len(made) // 2] if _numbers.randrange(8) == 0 else made


def fill(rows: int) -> None:
    """In a process of its own, which Django is set up for."""
    set_up()
    from django.db import connection

    from inspector.teams.models import Team

    team = Team.objects.get(slug=TEAM)
    with connection.cursor():
        assert connection.connection is not None
        raw = connection.connection
    given = distinct(team.pk)
    now = datetime.now(UTC)
    step = timedelta(days=DAYS) / rows
    moments = [now - step * (rows - at) for at in range(rows)]
    chosen = [_numbers.randrange(len(given)) for _ in range(rows)]
    copy_captures(raw, team.pk, moments, [given[at] for at in chosen])
    count_all(team.pk, moments, [given[at] for at in chosen])
    raw.execute("VACUUM ANALYZE")


def distinct(team_id: int) -> list[Any]:
    """What each of the distinct analyses gives, with its series made."""
    from inspector.archive.inspection.projection import project
    from inspector.archive.models import Capture
    from inspector.core.reading import analyze
    from inspector.core.wire.exchange import Exchange
    from inspector.usage.cost import pricing
    from inspector.usage.rollup import series
    from inspector.usage.rollup.contribution import contribution_of

    found = []
    for _ in range(ANALYSES):
        body = answer()
        exchange = Exchange.of_body(body, "application/json")
        analysis = analyze(exchange)
        capture = Capture(team_id=team_id, byte_length=len(body), received_at=datetime.now(UTC))
        (one,) = pricing.price_captures([project(capture, exchange, analysis)])
        found.append((contribution_of(one.rows, one.billable, one.receipt), len(body)))
    numbers = series.series_ids_of({(team_id, one.kind) for one, _ in found})
    return [(numbers[team_id, one.kind], one, length) for one, length in found]


def copy_captures(raw: Any, team_id: int, moments: list[datetime], given: list[Any]) -> None:
    import uuid6

    from inspector.usage.measures import encode_measures
    from inspector.usage.rollup.rollups import hour_of

    columns = (
        "id, team_id, state, received_at, attempt, due_at, byte_length, sha256, outcome, note,"
        " tags, metadata"
    )
    ids = [uuid6.uuid7() for _ in moments]
    raw.execute("SET session_replication_role = replica")
    with raw.cursor() as cursor:
        with cursor.copy(f"COPY archive_capture ({columns}) FROM STDIN") as copy:
            for capture_id, at, (_, _, length) in zip(ids, moments, given, strict=True):
                sent = (at, 1, at, length, capture_id.hex * 2, "ended", "", "[]", "{}")
                copy.write_row((capture_id, team_id, "inspected", *sent))
        with cursor.copy(
            "COPY usage_storedcontribution (capture_id, series_id, start, measures) FROM STDIN"
        ) as copy:
            for capture_id, at, (series, one, _) in zip(ids, moments, given, strict=True):
                measures = encode_measures(one.measures)
                copy.write_row((capture_id, series, hour_of(at), measures))
    raw.execute("SET session_replication_role = DEFAULT")


def count_all(team_id: int, moments: list[datetime], given: list[Any]) -> None:
    """As the projector does it, a day at a time."""
    from itertools import groupby

    from django.db import transaction

    from inspector.usage.rollup import rollups

    every = zip(moments, given, strict=True)
    for _, day in groupby(every, key=lambda each: each[0].date()):
        shares = [
            rollups.HourContribution(
                NOBODY, rollups.HourGroup(team_id, one.kind, rollups.hour_of(at)), one.measures
            )
            for at, (_, one, _) in day
        ]
        with transaction.atomic():
            rollups.apply_contributions([], shares)


# -- what counting costs --------------------------------------------------------------------------


def count(captures: int) -> None:
    """Milliseconds of the wall and of the processor for each capture, with and without."""
    set_up()
    from django.conf import settings

    from inspector.archive.inspection.doorbell import doorbell
    from inspector.archive.inspection.tasks import inspect_due
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange
    from inspector.teams.access import for_team

    doorbell.ring = lambda: None  # type: ignore[method-assign]
    principal = for_team(TEAM)
    assert principal is not None
    projectors = settings.PROJECTORS
    found: dict[bool, list[tuple[float, float]]] = {True: [], False: []}
    for turn in range(2 * captures // PER_BATCH):
        settings.PROJECTORS = projectors if turn % 2 else []
        arrivals = [
            Submission(Exchange.of_body(answer(), "application/json")) for _ in range(PER_BATCH)
        ]
        submission.accept_batch(principal, arrivals)
        wall, cpu = time.perf_counter(), time.process_time()
        while inspect_due():
            pass
        found[bool(turn % 2)].append((time.perf_counter() - wall, time.process_time() - cpu))
    print(json.dumps({"with": found[True], "without": found[False]}))


def set_up() -> None:
    import django

    django.setup()
    logging.disable()


# -- asking ---------------------------------------------------------------------------------------


def cookie_of(port: int, folder: Path) -> str:
    """Of a session, by the link that the first start gave."""
    link = re.findall(r"http://\S+/sign-in/\S+/", (folder / "up.log").read_text())[-1]
    path = link[link.index("/sign-in/") :]
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path)
    shown = connection.getresponse()
    page = shown.read().decode()
    csrf = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert csrf, page[:400]
    cookies = "; ".join(each.partition(";")[0] for each in shown.headers.get_all("Set-Cookie", []))
    headers = {"Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded"}
    connection.request("POST", path, f"csrfmiddlewaretoken={csrf[1]}", headers)
    signed = connection.getresponse()
    signed.read()
    return "; ".join(each.partition(";")[0] for each in signed.headers.get_all("Set-Cookie", []))


def ask(port: int, path: str, cookie: str) -> float:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    started = time.perf_counter()
    connection.request("GET", path, headers={"Cookie": cookie})
    got = connection.getresponse()
    body = got.read()
    assert got.status == 200, (got.status, body[:200])
    return (time.perf_counter() - started) * 1_000


def in_process(url: str, folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **ENVIRONMENT, "DATABASE_URL": url}
    environment["INSPECTOR_DATA_DIR"] = str(folder)
    command = [sys.executable, __file__, *arguments]
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def compare(asked: argparse.Namespace, console: Console) -> None:
    programs = servers.find()
    if programs is None:
        raise SystemExit(f"{POSTGRESQL} and Redis are not here: {servers.HOW_TO_GET_THEM}")
    with ExitStack() as ending:
        folder = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="usage-")))
        server = ending.enter_context(servers.postgresql(programs, safety=()))
        redis_url = ending.enter_context(servers.redis_server(programs))
        doors: dict[int, tuple[int, str]] = {}
        for number, rows in enumerate(asked.rows):
            place = folder / str(rows)
            place.mkdir()
            database = made(server, folder, f"usage_{rows}")
            system = ending.enter_context(ours(place, database, f"{redis_url[:-1]}{number}"))
            started = time.monotonic()
            in_process(database.url, place, "--fill", str(rows))
            doors[rows] = system.port, cookie_of(system.port, place)
            console.print(filled(database, rows, time.monotonic() - started))
        console.print(told_pages(doors, asked.rounds))
        console.print(told_counting(database, place, asked.counted))


def filled(database: Database, rows: int, seconds: float) -> str:
    tables = [f"{database.number(f'SELECT count(*) FROM usage_{t}'):,} {t}" for t in TABLES]
    every = "measure = 'captures' AND span_seconds = 86400 AND by = 'all'"
    captures = database.number(f"SELECT sum(captures) FROM usage_usagesum WHERE {every}")
    return f"{rows:,} rows in {seconds:.0f} s: {captures:,} counted; rows: {', '.join(tables)}"


def told_pages(doors: dict[int, tuple[int, str]], rounds: int) -> Table:
    times: dict[tuple[str, int], list[float]] = defaultdict(list)
    for turn in range(rounds + 2):
        for name, path in PAGES.items():
            for rows, (port, cookie) in doors.items():
                taken = ask(port, path, cookie)
                # The first two are for both processes of web to have loaded what they need.
                if turn > 1:
                    times[name, rows].append(taken)
    table = Table("page", *(f"{rows:,}: p50, p95 ms" for rows in doors), "×", box=None)
    for name in PAGES:
        found = [sorted(times[name, rows]) for rows in doors]
        p95s = [each[int(len(each) * 0.95)] for each in found]
        cells = [f"{median(each):.1f}, {p95:.1f}" for each, p95 in zip(found, p95s, strict=True)]
        table.add_row(name, *cells, f"{median(found[-1]) / median(found[0]):.2f}")
    return table


def told_counting(database: Database, folder: Path, captures: int) -> Table:
    found = json.loads(in_process(database.url, folder, "--count", str(captures)))
    table = Table("inspecting", "wall ms each", "CPU ms each", box=None)
    for name, rounds in found.items():
        table.add_row(f"{name} the sums", *map(each_ms, zip(*rounds, strict=True)))
    return table


def each_ms(seconds: Any) -> str:
    return f"{median(seconds) * 1_000 / PER_BATCH:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[10_000, 1_000_000])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--counted", type=int, default=1_000, help="captures, with and without")
    parser.add_argument("--fill", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=int, default=40, help="after which everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.minutes * 60)
    if asked.fill:
        fill(asked.fill)
    elif asked.count:
        count(asked.count)
    else:
        compare(asked, Console(width=120))


if __name__ == "__main__":
    main()
