"""Migrations while others use the tables: nobody waits for long, and nothing is left half."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings

from tests.operations.backup import places
from tests.operations.backup.places import Place

pytestmark = [pytest.mark.production, pytest.mark.thorough]

COLUMN, INDEX = "9998", "9999"
"""Migrations of an invented later release."""
# The server is also that of other tests, whose databases are no matter here.
WAITING = (
    "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid)"
    " WHERE datname = current_database() AND NOT granted"
)
LATER_COLUMNS = (
    "SELECT count(*) FROM information_schema.columns"
    " WHERE table_name = 'archive_capture' AND column_name = 'later'"
)


@pytest.fixture
def place() -> Iterator[Place]:
    with places.postgresql() as place:
        place.done("migrate", "--no-input")
        yield place.later()


@contextmanager
def in_use(place: Place) -> Iterator[psycopg.Connection[Any]]:
    """As a backup does."""
    with psycopg.connect(place.environment["DATABASE_URL"]) as reader:
        reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        reader.execute("SELECT count(*) FROM archive_capture")
        yield reader


def test_a_migration_that_meets_a_lock_gives_up_and_is_run_again(place: Place) -> None:
    with in_use(place) as reader:
        ended = place.run("migrate", "--no-input", "archive", COLUMN)
        assert ended.returncode == 1
        assert ended.stderr.startswith("CommandError: gave up") and ended.stderr.count("\n") == 1
        # Nothing of it stands in the way of others.
        assert reader.execute(WAITING).fetchone() == (0,)
        assert reader.execute(LATER_COLUMNS).fetchone() == (0,)
    place.done("migrate", "--no-input")


def test_an_index_waits_for_a_backup_and_nobody_for_the_index(place: Place) -> None:
    place.done("migrate", "--no-input", "archive", COLUMN)
    with in_use(place):
        migration = subprocess.Popen(
            [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0"],
            cwd=settings.BASE_DIR,
            env=place.environment,
        )
        with psycopg.connect(place.environment["DATABASE_URL"], autocommit=True) as other:
            wait_for_index(other)
            other.execute("SET lock_timeout = '500ms'")
            other.execute("DELETE FROM archive_capture")
            # Longer than a migration that others wait for would.
            time.sleep(1.5)
        assert migration.poll() is None
    assert migration.wait(120) == 0


def test_a_migration_that_is_killed_while_its_index_waits_is_run_again(place: Place) -> None:
    place.done("migrate", "--no-input", "archive", COLUMN)
    with in_use(place):
        migration = subprocess.Popen(
            [sys.executable, "manage.py", "migrate", "--no-input", "--verbosity", "0", "archive"],
            cwd=settings.BASE_DIR,
            env=place.environment,
        )
        with psycopg.connect(place.environment["DATABASE_URL"], autocommit=True) as other:
            wait_for_index(other)
        migration.kill()
        migration.wait(120)
    place.done("migrate", "--no-input", "archive", INDEX)


def wait_for_index(other: psycopg.Connection[Any]) -> None:
    deadline = time.monotonic() + 30
    asked = f"{WAITING} AND locktype = 'virtualxid'"
    while other.execute(asked).fetchone() == (0,):
        assert time.monotonic() < deadline
        time.sleep(0.05)
