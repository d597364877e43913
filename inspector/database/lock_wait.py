"""Limits how long statements wait for locks of other transactions;

``inspector.configuration.stack`` has the usual limit. A web process has few threads: while all of
them wait for one lock after the other, every other request waits in the queue. So only the first
waits the usual time for a database that does not answer.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from django.db import DatabaseError, OperationalError, connection

from inspector.database import write_turn

# For what may be left out, such as the time of a key's last use: no request waits for that.
BRIEF_MILLISECONDS = 100
PATIENT_MILLISECONDS = 20_000
"""As long as a patient client waits for its answer."""
BRIEF_AFTER_FAILURE_SECONDS = 2.0
"""So long other threads of a process take the first one's word for it."""

_brief_until = 0.0


@contextmanager
def brief_lock_wait() -> Iterator[None]:
    """Shorten the wait for optional statements."""
    _set(BRIEF_MILLISECONDS)
    try:
        yield
    finally:
        # Nothing is left to be set on a connection that broke.
        with suppress(DatabaseError):
            _set(None)


@contextmanager
def intake_lock_wait() -> Iterator[None]:
    """Yield the wait of what comes in and must be kept: on SQLite, whose lock is one for all
    writers, as long as a patient client waits; a brief one where another of this process has just
    waited in vain. Others give way meanwhile.
    """
    global _brief_until
    is_brief = time.monotonic() < _brief_until
    with write_turn.intake_first(), brief_lock_wait() if is_brief else _patient_lock_wait():
        try:
            yield
        except OperationalError as error:
            # One of our own, such as that of a disk that is nearly full, waited for nothing.
            if error.__cause__ is not None:
                _brief_until = time.monotonic() + BRIEF_AFTER_FAILURE_SECONDS
            raise
    _brief_until = 0.0


@contextmanager
def form_lock_wait() -> Iterator[None]:
    """Yield the wait of what a person changes: on SQLite as long as that of intake, for its lock
    is taken again and again while captures come in or go.
    """
    with write_turn.intake_first(), _patient_lock_wait():
        yield


@contextmanager
def _patient_lock_wait() -> Iterator[None]:
    if connection.vendor != "sqlite" or _usual_milliseconds() >= PATIENT_MILLISECONDS:
        yield
        return
    _set(PATIENT_MILLISECONDS)
    try:
        yield
    finally:
        with suppress(DatabaseError):
            _set(None)


def _usual_milliseconds() -> int:
    return int(connection.settings_dict["OPTIONS"]["timeout"] * 1000)


def _set(milliseconds: int | None) -> None:
    """Set the limit; None restores the usual one."""
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            usual = "RESET lock_timeout"
            cursor.execute(usual if milliseconds is None else f"SET lock_timeout = {milliseconds}")
            return
        # SQLite has no RESET; the usual limit is the one that the connection was opened with.
        if milliseconds is None:
            milliseconds = _usual_milliseconds()
        cursor.execute(f"PRAGMA busy_timeout = {milliseconds}")
