"""D and T: what happens to the disk and to the clocks."""

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.faults.breaks.postgresql import connected
from tests.faults.rows import row
from tests.faults.stacks import EMBEDDED, PRODUCTION, SMALL_DISK, Stack, refuses, shows, wait_until

PIECE_BYTES = 64 * 1024
DAY_SECONDS = 86_400


@contextmanager
def filled(stack: Stack, left_bytes: int) -> Iterator[Path]:
    """The disk with the database, until there are only so many bytes left on it; yields what does."""
    if stack.disk is None:
        pytest.skip("may not mount a file system of its own here")
    ballast = stack.disk / "ballast"
    try:
        fill(ballast, left_bytes)
        yield ballast
    finally:
        ballast.unlink(missing_ok=True)


def fill(ballast: Path, left_bytes: int) -> None:
    with open(ballast, "ab", buffering=0) as file:
        while (left := free_bytes(ballast)) > left_bytes:
            try:
                file.write(bytes(min(PIECE_BYTES, left - left_bytes)))
            except OSError:
                return


def free_bytes(place: Path) -> int:
    disk = os.statvfs(place)
    return disk.f_bavail * disk.f_frsize


def keep_full(ballast: Path, seconds: float) -> None:
    """Fill again what a checkpoint frees, while those who inspect go on trying."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        fill(ballast, left_bytes=0)
        time.sleep(0.2)


@row("D1", EMBEDDED)
def the_disk_is_full(stack: Stack) -> None:
    stay_full(stack)
    assert stack.ask("PRAGMA integrity_check") == [("ok",)]


@row("D1-tables", SMALL_DISK)
def there_is_no_room_for_tables(stack: Stack) -> None:
    stay_full(stack)


def stay_full(stack: Stack) -> None:
    with stack.slow_reading():
        time.sleep(0.5)
        with filled(stack, left_bytes=0) as ballast:
            wait_until(lambda: refuses(stack, "storage_full"), "nothing is taken")
            assert shows(stack)
            keep_full(ballast, stack.form.choose(5, 60))
            assert shows(stack)


@row("D1-log", SMALL_DISK)
def there_is_no_room_for_the_log(stack: Stack) -> None:
    """PostgreSQL ends itself then; whoever keeps it starts it again when there is room."""
    with filled(stack, left_bytes=0) as ballast:
        with connected(stack) as other:
            wait_until(lambda: is_ended_by_its_log(other), "the log is full")
        assert refuses(stack)
        # Its answer is kept for a second.
        wait_until(lambda: stack.sender.get("/readyz").status == 503, "web says it is not ready")
        keep_full(ballast, stack.form.choose(3, 60))
        assert refuses(stack)
    stack.postgresql.close()
    stack.start_postgresql()


def is_ended_by_its_log(other: psycopg.Connection) -> bool:
    try:
        other.execute("SELECT pg_switch_wal()")
        other.execute("SELECT pg_logical_emit_message(false, '', 'one more')")
    except psycopg.OperationalError:
        return other.closed
    return False


@row("D3", EMBEDDED)
def the_disk_is_nearly_full(stack: Stack) -> None:
    size = os.statvfs(stack.data)
    with filled(stack, left_bytes=size.f_blocks * size.f_frsize // 30):
        wait_until(lambda: refuses(stack), "nothing is taken")
        assert stack.sender.get("/readyz").json["checks"]["has_room"] == "no"
        # What was taken is worked off on what is left.
        wait_until(lambda: stack.pending() == 0, "everything settles")


@row("T1", PRODUCTION, EMBEDDED)
def every_program_has_another_clock(stack: Stack) -> None:
    known = stack.kept().keys()
    set_clocks(stack, web=DAY_SECONDS, worker=-DAY_SECONDS, sweep=600)
    time.sleep(stack.form.choose(2, 300))
    # Nobody takes for ended what another one works on: most are inspected at the first attempt.
    attempts = [
        each.attempt for capture_id, each in stack.kept().items() if capture_id not in known
    ]
    assert statistics.median(attempts) <= 1
    set_clocks(stack, web=0, worker=0, sweep=0)


def set_clocks(stack: Stack, **seconds: int) -> None:
    """Each program ends in its own time first: this is about clocks, a kill would count an attempt."""
    for name, ahead in seconds.items():
        stack.ask_to_end(name)
        stack.release(name, FAULTS_CLOCK_SECONDS=str(ahead))
    stack.wait_until_ready()
