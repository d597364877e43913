"""How many captures a second a deletion takes away, in this very process as the sweep does it; how
much room the database has before and after; and whether the sums are those of what is left.

    python3 bench/deletion.py [--store PostgreSQL] [--captures N] [--bytes N] [--stream]
                              [--arrivals N] [--bodies]

Captures of 2 kB (with --stream: event streams) are accepted, inspected, and deleted by a job; with
--bodies their bodies, as a retention rule does. With --arrivals another process accepts so many a
second meanwhile; told is how long each waited. What arrived is inspected afterwards, and the sums
of usage are compared with a recount of all stored analyses.
Databases are private and thrown away; PostgreSQL syncs every commit. Needs the project's
environment.
"""

import argparse
import logging
import multiprocessing
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import usage_recount  # noqa: E402
from inspecting import JSON, SQLITE, SSE, accept, inspect, installation, sender  # noqa: E402

PERCENTILES = 100
TEAM = "load"
MB = 1_000_000


def main() -> None:
    asked = _asked()
    with installation(asked.store):
        logging.disable(logging.INFO)
        accept(asked.captures, asked)
        inspect()
        room = used_bytes()
        with arrivals(asked) as waits:
            processor = time.process_time()
            seconds, steps = delete_bodies() if asked.bodies else delete_all()
            processor = time.process_time() - processor
        print(
            f"{asked.store}: {asked.captures} captures in {seconds:.2f} s,"
            f" {asked.captures / seconds:.0f} a second; longest step {max(steps) * 1e3:.0f} ms,"
            f" {processor / asked.captures * 1e3:.1f} ms of this processor each"
        )
        if waits:
            cuts = quantiles(waits, n=PERCENTILES)
            print(
                f"{len(waits)} arrivals meanwhile: median {cuts[49] * 1e3:.0f} ms,"
                f" p99 {cuts[98] * 1e3:.0f} ms, longest {max(waits) * 1e3:.0f} ms"
            )
        print(f"room: {room / MB:.1f} MB before, {used_bytes() / MB:.1f} MB after", end="")
        print(f", {vacuumed_bytes() / MB:.1f} MB once it is vacuumed")
        inspect()
        is_equal = (
            usage_recount.same_as_all(usage_recount.of_sums(TEAM), usage_recount.of_documents())
            == "="
        )
        print(f"sums and recount: {'equal' if is_equal else 'DIFFERENT'}")


def used_bytes() -> int:
    """Return the bytes of tables and indexes, without pages that are free."""
    from django.db import connection

    sql = "SELECT pg_database_size(current_database())"
    if connection.vendor == "sqlite":
        sql = (
            "SELECT (page_count - freelist_count) * page_size"
            " FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def vacuumed_bytes() -> int:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("VACUUM FULL" if connection.vendor == "postgresql" else "VACUUM")
    return used_bytes()


def worked(kind: Any) -> tuple[float, list[float]]:
    """Seconds in all, and of each step, until nothing of the kind is left to do."""
    from inspector.work.run import run_one

    steps: list[float] = []
    began = time.monotonic()
    while True:
        step = time.monotonic()
        if not run_one(kind):
            return time.monotonic() - began, steps
        steps.append(time.monotonic() - step)


def delete_bodies() -> tuple[float, list[float]]:
    """Return the same by a rule on the clock of bodies, of captures that are made a day old."""
    from datetime import timedelta

    from django.db.models import F

    from inspector.archive.background import retention_rules, retention_steps
    from inspector.archive.background.retention_rules import RetentionRuleStatus
    from inspector.archive.models import Capture, Inspection, RetentionClock
    from inspector.teams.access import for_team

    owner = for_team(TEAM)
    assert owner is not None
    earlier = F("called_at") - timedelta(days=2)
    Capture.objects.update(received_at=F("received_at") - timedelta(days=2), called_at=earlier)
    Inspection.objects.update(called_at=earlier)
    rule = retention_rules.add_rule(owner, RetentionClock.BODIES, "", 1)
    assert isinstance(rule, RetentionRuleStatus), rule
    retention_rules.turn_rule(owner, rule.id, on=True)
    return worked(retention_steps.KIND)


def delete_all() -> tuple[float, list[float]]:
    """Seconds in all, and of each step of the job."""
    from inspector.archive.background import bulk_jobs, bulk_steps
    from inspector.archive.background.bulk_jobs import BulkJobStatus
    from inspector.archive.listing.filter_params import FilterParams
    from inspector.archive.queries import for_principal
    from inspector.teams.access import for_team

    owner = for_team(TEAM)
    assert owner is not None
    bound = for_principal(owner).newest_bound()
    until = FilterParams().filters.with_value("until", bound)
    number = for_principal(owner).exact_count(until)
    job = bulk_jobs.request_bulk_deletion(owner, FilterParams(), number or 0, bound)
    assert isinstance(job, BulkJobStatus), job
    seconds, steps = worked(bulk_steps.KIND)
    ended = bulk_jobs.bulk_job(owner, job.id)
    assert ended is not None and (ended.state, ended.changed) == ("finished", number), ended
    return seconds, steps


@contextmanager
def arrivals(asked: argparse.Namespace) -> Iterator[list[float]]:
    """Seconds that each capture waited to be accepted meanwhile, by another process."""
    waits: list[float] = []
    if not asked.arrivals:
        yield waits
        return
    context = multiprocessing.get_context("spawn")
    begun, ended, told = context.Event(), context.Event(), context.Queue()
    process = context.Process(target=arrive, args=(asked, begun, ended, told))
    process.start()
    begun.wait()
    try:
        yield waits
    finally:
        ended.set()
        waits += told.get()
        process.join()


def arrive(asked: argparse.Namespace, begun: Any, ended: Any, told: Any) -> None:
    import django

    django.setup()
    import payloads

    from inspector.archive.intake import submission
    from inspector.archive.intake.submission import Submission
    from inspector.core.wire.exchange import Exchange

    logging.disable(logging.INFO)
    who, make = sender(), payloads.stream if asked.stream else payloads.answer
    waits = []

    def one() -> None:
        exchange = Exchange.of_body(make(asked.bytes), SSE if asked.stream else JSON)
        submission.accept(who, Submission(exchange))

    one()
    begun.set()
    due = time.monotonic()
    while not ended.wait(max(0.0, due - time.monotonic())):
        one()
        # From when it was due: one that waits makes the next ones wait, too.
        waits.append(time.monotonic() - due)
        due += 1 / asked.arrivals
    told.put(waits)


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", default=SQLITE)
    parser.add_argument("--captures", type=int, default=2000)
    parser.add_argument("--bytes", type=int, default=2000)
    parser.add_argument("--stream", action="store_true")
    parser.add_argument("--bodies", action="store_true", help="delete bodies alone, by a rule")
    parser.add_argument("--arrivals", type=float, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
