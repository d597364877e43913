"""How long one look for drift takes, for a team with a month of sums by the hour.

    python3 bench/drift.py [--models N] [--captures N] [--rounds N]

Fills SQLite and a private PostgreSQL with the sums that so many captures of thirty days would have
left, an hour and a model at a time: two fingerprints, three finish reasons, four sets of fields and
first-token times of half a second. In the last two days a tenth of the models change everything.
Told are the median and the longest of the looks at the newest days, of what they consist of, and of
the first one, which goes through the month. Bounded in time. Needs the project's environment.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from rich.console import Console  # noqa: E402
from rich.table import Table  # noqa: E402

from development import servers  # noqa: E402

HOURS = 30 * 24
NEW_HOURS = 48
ENVIRONMENT = {
    "DJANGO_SETTINGS_MODULE": "inspector.settings",
    "INSPECTOR_BOOTSTRAP": "0",
    "INSPECTOR_ROLE": "sweep",
    "INSPECTOR_SECRET_KEY": "of a measurement, and of nothing else",
    "REDIS_URL": "redis://127.0.0.1:1/0",
}
_numbers = random.Random(27)


def fill(models: int, captures: int) -> None:
    from inspector.teams.models import Team
    from inspector.usage.drift.history_queries import hour_of
    from inspector.usage.models import FieldSet, Octave, UsageSum

    team = Team.objects.get()
    now = hour_of(time_now())
    each = max(1, captures // (HOURS * models))
    for at in range(4):
        paths = [f"/choices/message/key{n}" for n in range(40 + at)]
        FieldSet.objects.create(team=team, digest=f"set{at}", streamed=bool(at % 2), paths=paths)
    for model in range(models):
        pair = series_of(team.pk, model)
        sums, octaves = [], []
        for hour in range(now - HOURS + 1, now + 1):
            is_new = hour > now - NEW_HOURS and model % 10 == 0
            for kind in ("sum", "octave"):
                rows = sums if kind == "sum" else octaves
                rows += list(rows_of(kind, team.pk, pair[is_new], hour, each, is_new))
        UsageSum.objects.bulk_create(sums, batch_size=2_000)
        Octave.objects.bulk_create(octaves, batch_size=2_000)
    arrived(team)


def series_of(team_id: int, model: int) -> list[int]:
    from inspector.usage.rollup.dimensions import EXACT, SeriesKey
    from inspector.usage.rollup.series import series_ids_of

    kinds = [
        SeriesKey(
            by=EXACT, model=f"m{model}", vendor="v", fingerprint=f"fp{n}", service_tier="default"
        )
        for n in range(2)
    ]
    numbers = series_ids_of({(team_id, kind) for kind in kinds})
    return [numbers[team_id, kind] for kind in kinds]


def rows_of(
    kind: str, team_id: int, series: int, hour: int, captures: int, is_new: bool
) -> Iterator[Any]:
    from inspector.usage.drift.history_queries import moment_of
    from inspector.usage.models import BUCKETS, HOUR_SECONDS, Octave, UsageSum
    from inspector.usage.rollup.dimensions import EXACT
    from inspector.usage.rollup.histogram import bucket_of

    place: dict[str, Any] = {
        "team_id": team_id,
        "by": EXACT,
        "series_id": series,
        "span_seconds": HOUR_SECONDS,
        "start": moment_of(hour),
    }
    if kind == "sum":
        stop = captures // 2 if is_new else captures - captures // 10
        # Others that are there and not read: what a capture tells besides.
        others = {("tokens", f"other_{n}"): captures for n in range(14)}
        told = {
            ("verdict", "complete"): captures,
            ("finish_reason", "stop"): stop,
            ("finish_reason", "length"): captures - stop,
            ("fields", "set2" if is_new else "set0"): captures // 2,
            ("fields", "set3" if is_new else "set1"): captures - captures // 2,
        }
        for (measure, value), number in {**told, **others}.items():
            yield UsageSum(**place, measure=measure, value=value, captures=number, total=0)
        return
    octaves: dict[int, list[int]] = {}
    for _ in range(captures):
        waited = int((900_000 if is_new else 500_000) * _numbers.lognormvariate(0, 0.4))
        octave, bucket = divmod(bucket_of(waited), len(BUCKETS))
        octaves.setdefault(octave, [0] * len(BUCKETS))[bucket] += 1
    for octave, buckets in octaves.items():
        counts = dict(zip(BUCKETS, buckets, strict=True))
        yield Octave(**place, measure="first_token_us", octave=octave, **counts)


def arrived(team: Any) -> None:
    """One capture: a team without any is not looked at."""
    from inspector.archive.inspection.doorbell import doorbell
    from inspector.archive.inspection.tasks import inspect_due
    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange
    from inspector.teams.access import for_team

    doorbell.ring = lambda: None  # type: ignore[method-assign]
    principal = for_team(team.slug)
    assert principal is not None
    submission.accept(principal, Submission(Exchange.of_body(b"{}", "application/json")))
    while inspect_due():
        pass


def time_now() -> Any:
    from django.utils import timezone

    return timezone.now()


def measure(rounds: int) -> dict[str, Any]:
    from datetime import timedelta

    from inspector.teams.models import Team
    from inspector.usage.drift import scan
    from inspector.usage.drift.changes import WEEK_HOURS
    from inspector.usage.drift.detection import detect_drifts
    from inspector.usage.drift.history_queries import hour_of, load_histories
    from inspector.usage.models import DriftEvent, DriftScanState, Octave, UsageSum

    looks = []
    while (taken := timed(scan.scan_step))[1]:
        looks.append(taken[0])
    found: dict[str, list[float]] = {"a look": [], "reading": [], "telling": []}
    end = hour_of(time_now()) + 1
    hours = range(end - scan.RESCAN_HOURS, end)
    team_id = Team.objects.get().pk
    for _ in range(rounds):
        DriftScanState.objects.update(due_at=time_now() - timedelta(seconds=1), newest_arrival=None)
        found["a look"].append(timed(scan.scan_step)[0])
        seconds, read = timed(lambda: load_histories(team_id, hours.start - WEEK_HOURS, end))
        found["reading"].append(seconds)
        found["telling"].append(timed(lambda read=read: detect_drifts(read, hours))[0])
    return {
        "rows": UsageSum.objects.count() + Octave.objects.count(),
        "events": DriftEvent.objects.count(),
        "first": looks,
        "looks": found,
    }


def timed(work: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    result = work()
    return time.perf_counter() - started, result


def in_process(url: str, asked: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="drift-") as folder:
        environment = {**os.environ, **ENVIRONMENT, "INSPECTOR_DATA_DIR": folder}
        environment.pop("DATABASE_URL", None)
        if url:
            environment["DATABASE_URL"] = url
        else:
            environment.pop("REDIS_URL")
        manage = [sys.executable, str(ROOT / "manage.py")]
        for command in (["migrate", "-v", "0"], ["create_owner", "bench"]):
            subprocess.run(
                [*manage, *command], env=environment, check=True, stdout=subprocess.DEVNULL
            )
        numbers = ("--models", asked.models, "--captures", asked.captures, "--rounds", asked.rounds)
        done = subprocess.run(
            [sys.executable, __file__, "--here", *map(str, numbers)],
            env=environment,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=int, default=30)
    parser.add_argument("--captures", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--minutes", type=int, default=20, help="after which everything ends")
    asked = parser.parse_args()
    signal.signal(signal.SIGALRM, lambda *_: sys.exit("out of time"))
    signal.alarm(asked.minutes * 60)
    if asked.here:
        import django

        django.setup()
        logging.disable()
        fill(asked.models, asked.captures)
        print(json.dumps(measure(asked.rounds)))
        return
    table = Table("database", "rows", "events", "", "p50 s", "longest s", box=None)
    add(table, "SQLite", in_process("", asked))
    programs = servers.find()
    if programs is not None:
        with servers.postgresql(programs, safety=()) as url:
            add(table, "PostgreSQL", in_process(url, asked))
    Console(width=120).print(table)


def add(table: Table, name: str, found: dict[str, Any]) -> None:
    rows = {**found["looks"], "through the month, each": found["first"]}
    for what, taken in rows.items():
        cells = f"{median(taken):.2f}", f"{max(taken):.2f}"
        table.add_row(name, f"{found['rows']:,}", str(found["events"]), what, *cells)


if __name__ == "__main__":
    main()
