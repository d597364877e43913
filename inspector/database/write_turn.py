"""Turns of writing on SQLite: what comes in, before what is read from it.

SQLite has one lock for all writers, and a process that waits for it asks again every tenth of a
second: where others take it again as soon as they gave it back, it is lost for seconds. So intake
says that it waits, by a shared lock on the directory of the database, and inspection gives way
before each of its transactions.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import connection

GIVE_WAY_SECONDS = 0.25
"""The longest that inspection gives way: while posts never end, it goes on all the same."""
STEP_SECONDS = 0.005
"""Long beside looking at a lock, short beside a transaction that stores a post."""


@contextmanager
def intake_first() -> Iterator[None]:
    """Let those who give way wait until the block has ended. Does nothing on PostgreSQL."""
    directory = _directory()
    if directory is None:
        yield
        return
    try:
        fcntl.flock(directory, fcntl.LOCK_SH)
        yield
    finally:
        os.close(directory)


def give_way() -> None:
    """Wait for what comes in; called before a transaction that nobody waits for."""
    directory = _directory()
    if directory is None:
        return
    try:
        for _ in range(round(GIVE_WAY_SECONDS / STEP_SECONDS)):
            if _is_free(directory):
                return
            time.sleep(STEP_SECONDS)
    finally:
        os.close(directory)


def _is_free(directory: int) -> bool:
    try:
        fcntl.flock(directory, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _directory() -> int | None:
    """Return the directory of the database, opened; None on PostgreSQL and in memory. Never a file
    beside it: to close one that SQLite has open, too, would give up its locks.
    """
    if connection.vendor != "sqlite":
        return None
    directory = Path(str(connection.settings_dict["NAME"])).parent
    return os.open(directory, os.O_RDONLY) if directory.is_absolute() else None
