"""The sweep: a loop that inspects pending captures and runs jobs, even when every message was lost,
and ends captures whose recorder is gone.

It could run the archive without workers, only slower.
"""

import logging
import signal
import time
from collections.abc import Callable, Iterable
from datetime import timedelta
from functools import partial
from threading import Event
from types import FrameType
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, connection
from django.db.models import QuerySet

from inspector.archive.background import bulk_steps, retention_steps
from inspector.archive.inspection import claims, reinspection, slow_readings
from inspector.archive.inspection.slow_reader import slow_reader
from inspector.archive.inspection.tasks import end_slow, inspect_due, store_slow
from inspector.archive.intake import abandoned
from inspector.database import free_pages
from inspector.database.fixed_query import FixedSearch
from inspector.database.portability import truncate_wal
from inspector.operations.time_limit import in_time
from inspector.search import rebuilding, word_index
from inspector.sharing import erasure
from inspector.teams import audit, audit_chain
from inspector.telemetry import span_export
from inspector.transfer.exports import expiry
from inspector.transfer.exports import steps as export_steps
from inspector.transfer.uploads import steps as upload_steps
from inspector.usage import repricing
from inspector.usage.drift import scan
from inspector.work import run

KINDS = (
    bulk_steps.KIND,
    reinspection.KIND,
    repricing.KIND,
    export_steps.KIND,
    upload_steps.KIND,
    retention_steps.KIND,
    span_export.KIND,
    rebuilding.KIND,
    scan.KIND,
)
"""All kinds of work, in the order in which each gets one turn a round."""
UNHURRIED = (rebuilding.KIND, scan.KIND)
"""Those that nobody waits for."""

HOUR_SECONDS = 3600.0

_ended_due_at = 0.0


def delete_ended() -> None:
    """Delete expired sessions and work long ended, at most once an hour."""
    global _ended_due_at
    if time.monotonic() >= _ended_due_at:
        SessionStore.clear_expired()
        run.forget_old(KINDS)
        _ended_due_at = time.monotonic() + HOUR_SECONDS


UNHURRIED_ROUNDS = 12
"""One round in so many looks for work that nobody waits for, a minute apart where there is none."""

INSPECTING_SECONDS = 5.0
"""Time of a round, whatever waits: the other kinds of work have their turn, too."""
SLOW_LOOK_SECONDS = 0.1
"""Waits for a slow reading that goes on, where nothing else is to be done."""

Step = Callable[[Callable[[], bool]], bool]

_LOGGER = logging.getLogger(__name__)


def _waiting(older_than: timedelta) -> Iterable[QuerySet[Any]]:
    return (
        claims.quick_due(older_than),
        slow_readings.pending(),
        abandoned.overdue(),
        run.due(KINDS),
        span_export.waiting(),
        *expiry.due(),
        audit_chain.unsealed(),
        word_index.erasures(),
    )


_WAITING = FixedSearch(_waiting)


class Sweep:
    def __init__(self, older_than_seconds: float) -> None:
        self._older_than = timedelta(seconds=older_than_seconds)
        self._stopped = Event()
        self._truncate_at = 0.0
        self._rounds_of_rest = 0

    def once(self) -> int:
        """Claim and inspect until nothing is pending; return how many captures were claimed."""
        total = 0
        while not self._stopped.is_set():
            claimed = in_time(self._inspect)
            if not claimed and not slow_reader.is_at_work:
                break
            total += claimed
            in_time(partial(store_slow, 0 if claimed else SLOW_LOOK_SECONDS))
            self._truncate_log()
        end_slow()
        return total

    def to_the_end(self) -> int:
        """As above, then finishes all other work that is due, and every drift scan."""
        in_time(abandoned.finish_abandoned)
        total = self.once()
        while not self._stopped.is_set() and self._work_on_jobs():
            self._rounds_of_rest = 0
            self._stopped.wait(reinspection.REST_SECONDS)
        return total

    def until_stopped(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopped.is_set():
            self._stopped.wait(self._round())
        end_slow()
        # The last one to close an embedded archive truncates its log.
        connection.close()

    def _round(self) -> float:
        """Run one round; returns the seconds to wait before the next."""
        try:
            if self._is_idle():
                self._rounds_of_rest -= 1
                self._truncate_log()
                return float(settings.SWEEP_EVERY_SECONDS)
            in_time(abandoned.finish_abandoned)
            is_backlog = self._inspect_some()
            delete_ended()
            audit_chain.seal()
            audit.forget_old()
            self._truncate_log()
            # Each kind of job gets one step per round, so that none waits for another to finish.
            if self._work_on_jobs() or slow_reader.is_at_work:
                return 0.0 if is_backlog else reinspection.REST_SECONDS
            end_slow()
            if is_backlog:
                return 0.0
        except DatabaseError as error:
            # A database that is busy, restarting or full is tried again next round. A working
            # connection is kept: SQLite on a full disk remains readable only while somebody has it
            # open.
            _LOGGER.warning("the database refused: %s", error)
            if not connection.is_usable():
                connection.close()
        return float(settings.SWEEP_EVERY_SECONDS)

    def _is_idle(self) -> bool:
        # Whatever the answer, one round in so many looks at everything.
        if not self._rounds_of_rest or slow_reader.is_at_work:
            return False
        return not _WAITING.finds(self._older_than)

    def _inspect_some(self) -> bool:
        """Inspect for some seconds, beside a slow reading that goes on in later rounds; tells
        whether the time did not suffice.
        """
        end = time.monotonic() + INSPECTING_SECONDS
        while not self._stopped.is_set():
            in_time(partial(store_slow, 0))
            if not in_time(self._inspect):
                return False
            self._truncate_log()
            if time.monotonic() > end:
                return True
        return False

    def _inspect(self) -> int:
        return inspect_due(self._older_than, self._stopped.is_set)

    def _work_on_jobs(self) -> bool:
        """Run one step of each kind of job; False if there were none."""
        is_unhurried_done = self._work_unhurried()
        steps: tuple[Step, ...] = (
            *(partial(run.run_one, kind) for kind in KINDS if kind not in UNHURRIED),
            expiry.erase_step,
        )
        done = self._steps_done(steps)
        return any([is_unhurried_done, done, word_index.erase_step(), free_pages.give_back_step()])

    def _work_unhurried(self) -> bool:
        if self._rounds_of_rest:
            self._rounds_of_rest -= 1
            return False
        kinds = (partial(run.run_one, kind) for kind in UNHURRIED)
        is_done = self._steps_done((*kinds, erasure.erase_step))
        self._rounds_of_rest = 0 if is_done else UNHURRIED_ROUNDS - 1
        return is_done

    def _steps_done(self, steps: Iterable[Step]) -> bool:
        """Run each of them; False if none had anything to do."""
        done = [in_time(partial(step, self._stopped.is_set)) for step in steps]
        return any(done)

    def _truncate_log(self) -> None:
        # Truncated unconditionally once per interval; one checkpoint covers all deletions since the
        # last.
        now = time.monotonic()
        if now >= self._truncate_at and truncate_wal():
            self._truncate_at = now + settings.SWEEP_EVERY_SECONDS

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped.set()
