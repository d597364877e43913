"""Limits how long statements wait for locks of other transactions;

``inspector.configuration.stack`` has the usual limit. A web process has few threads: while all of
them wait for one lock after the other, every other request waits in the queue. So only the first
waits the usual time for a database that does not answer.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress

from django.db import DatabaseError, OperationalError, connection

# For what may be left out, such as the time of a key's last use: no request waits for that.
BRIEF_MILLISECONDS = 100
BRIEF_AFTER_FAILURE_SECONDS = 2.0

_brief_until = 0.0


@contextmanager
def brief_lock_wait() -> Iterator[None]:
    """Shortens the wait for optional statements."""
    _set(BRIEF_MILLISECONDS)
    try:
        yield
    finally:
        # Nothing is left to be set on a connection that broke.
        with suppress(DatabaseError):
            _set(None)


@contextmanager
def brief_lock_wait_after_failure() -> Iterator[None]:
    """The usual wait, or a brief one where another of this process has just waited in vain."""
    global _brief_until
    with brief_lock_wait() if time.monotonic() < _brief_until else nullcontext():
        try:
            yield
        except OperationalError:
            _brief_until = time.monotonic() + BRIEF_AFTER_FAILURE_SECONDS
            raise
    _brief_until = 0.0


def _set(milliseconds: int | None) -> None:
    """Sets the limit; None restores the usual one."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            usual = "RESET lock_timeout"
            cursor.execute(usual if milliseconds is None else f"SET lock_timeout = {milliseconds}")
            return
        # SQLite has no RESET; the usual limit is the one that the connection was opened with.
        if milliseconds is None:
            milliseconds = int(connection.settings_dict["OPTIONS"]["timeout"] * 1000)
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
