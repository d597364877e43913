"""X: what a new release, a backup and a restore do beside the intake."""

import hashlib
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import zstandard
from django.conf import settings

from tests.faults.later import LAST
from tests.faults.rows import row
from tests.faults.stacks import EMBEDDED, PRODUCTION, Stack, plain, wait_until

# Before this phase it waits for writers, who come and go; in it, for as long as somebody reads.
WAITS_FOR_READERS = """
SELECT pid FROM pg_stat_progress_create_index WHERE phase = 'waiting for old snapshots'
"""
MAKES_AN_INDEX = "SELECT pid FROM pg_stat_progress_create_index"
ENDS_IT = "SELECT pg_terminate_backend(pid) FROM pg_stat_progress_create_index"
INDEX_IS_VALID = """
SELECT i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE c.relname = 'capture_later'
"""


@row("X1", PRODUCTION, EMBEDDED)
def a_later_release_migrates_and_goes_back(stack: Stack) -> None:
    for _ in range(int(stack.form.choose(1, 5))):
        if stack.name == PRODUCTION:
            with somebody_reads(stack):
                # Nobody waits behind it for longer than it is worth.
                migration = migrating(stack)
                assert "gave up" in migration.communicate()[1]
                assert migration.returncode == 1
        stack.done("migrate", "--no-input", FAULTS_SCHEMA="later")
        time.sleep(stack.form.choose(1, 30))
        go_back(stack)


@row("X2", PRODUCTION)
def a_migration_is_killed_half_way(stack: Stack) -> None:
    for _ in range(int(stack.form.choose(1, 5))):
        stack.done("migrate", "--no-input", "archive", "9998", FAULTS_SCHEMA="later")
        with somebody_reads(stack):
            migration = migrating(stack)
            wait_until(lambda: bool(stack.ask(WAITS_FOR_READERS)), "the index is half made")
            migration.kill()
            migration.communicate()
            # PostgreSQL alone would finish it when the reader ends, and find nobody to tell.
            stack.ask(ENDS_IT)
            wait_until(lambda: not stack.ask(MAKES_AN_INDEX), "its backend is gone")
        assert stack.ask(INDEX_IS_VALID) == [(False,)]
        time.sleep(stack.form.choose(1, 30))
        stack.done("migrate", "--no-input", FAULTS_SCHEMA="later")
        assert stack.ask(INDEX_IS_VALID) == [(True,)]
        go_back(stack)


def migrating(stack: Stack) -> subprocess.Popen[str]:
    return stack.begin("migrate", "--no-input", FAULTS_SCHEMA="later")


def go_back(stack: Stack) -> None:
    """To this release's tables, as the release after the next would drop what nobody uses."""
    stack.done("migrate", "--no-input", "archive", LAST, FAULTS_SCHEMA="later")


@contextmanager
def somebody_reads(stack: Stack) -> Iterator[None]:
    """As a backup does, all in one transaction."""
    with psycopg.connect(stack.database_url) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT count(*) FROM archive_capture")
        yield


@row("X3", PRODUCTION, EMBEDDED)
def a_backup_is_taken_and_restored_elsewhere(stack: Stack) -> None:
    for _ in range(int(stack.form.choose(1, 5))):
        promised = {
            plain(entry.id): entry.sha256
            for entry in stack.sender.ledger.entries().values()
            if entry.id
        }
        place = stack.folder / f"restored-{time.time_ns()}"
        file = place.with_suffix(".tar")
        stack.done("backup", str(file), "--verify")
        restore(file, place)
        found = dict(bodies(place))
        # Whatever was acknowledged before it began; and of what came meanwhile, whole captures.
        assert {capture_id: found.get(capture_id) for capture_id in promised} == promised
        time.sleep(stack.form.choose(0, 30))


def restore(file: Path, place: Path) -> None:
    kept = {k: v for k, v in os.environ.items() if k not in ("DATABASE_URL", "REDIS_URL")}
    done = subprocess.run(
        [sys.executable, "manage.py", "restore", str(file)],
        cwd=settings.BASE_DIR,
        env={**kept, "INSPECTOR_DATA_DIR": str(place)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def bodies(place: Path) -> Iterator[tuple[str, str]]:
    """By id, the SHA-256 of the bytes that are there."""
    with closing(sqlite3.connect(place / "inspector.sqlite3")) as archive:
        for capture_id, body in archive.execute("SELECT capture_id, body FROM archive_evidence"):
            yield plain(capture_id), hashlib.sha256(zstandard.decompress(body)).hexdigest()
