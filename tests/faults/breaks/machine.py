"""D and T: what happens to the disk and to the clocks."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.faults.rows import row
from tests.faults.stacks import EMBEDDED, PRODUCTION, Stack, refuses, shows, wait_until

PIECE_BYTES = 64 * 1024
DAY_SECONDS = 86_400


@contextmanager
def filled(stack: Stack, left_bytes: int) -> Iterator[None]:
    """The disk of the data directory, until there are only so many bytes left on it."""
    if not stack.has_own_disk:
        pytest.skip("may not mount a file system of its own here")
    ballast = stack.data / "ballast"
    try:
        fill(ballast, left_bytes)
        yield
    finally:
        ballast.unlink(missing_ok=True)


def fill(ballast: os.PathLike[str], left_bytes: int) -> None:
    with open(ballast, "ab", buffering=0) as file:
        while (left := free_bytes(ballast)) > left_bytes:
            try:
                file.write(bytes(min(PIECE_BYTES, left - left_bytes)))
            except OSError:
                return


def free_bytes(place: os.PathLike[str]) -> int:
    disk = os.statvfs(place)
    return disk.f_bavail * disk.f_frsize


@row("D1", EMBEDDED)
def the_disk_is_full(stack: Stack) -> None:
    with stack.slow_reading():
        time.sleep(0.5)
        with filled(stack, left_bytes=0):
            wait_until(lambda: refuses(stack), "nothing is taken")
            assert shows(stack)
            # What a checkpoint frees is filled again, while those who inspect go on trying.
            until = time.monotonic() + stack.form.choose(5, 60)
            while time.monotonic() < until:
                fill(stack.data / "ballast", left_bytes=0)
                time.sleep(0.2)
            assert shows(stack)
    assert stack.ask("PRAGMA integrity_check") == [("ok",)]


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
    for name, seconds in {"web": DAY_SECONDS, "worker": -DAY_SECONDS, "sweep": 600}.items():
        stack.release(name, FAULTS_CLOCK_SECONDS=str(seconds))
    stack.wait_until_ready()
    time.sleep(stack.form.choose(2, 300))
    # Nobody takes for ended what another one works on: most are inspected at the first attempt.
    attempts = [each.attempt for id, each in stack.kept().items() if id not in known]
    assert statistics.median(attempts) <= 1
    for name in ("web", "worker", "sweep"):
        stack.release(name, FAULTS_CLOCK_SECONDS="0")
    stack.wait_until_ready()
