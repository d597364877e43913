"""The sweep: alone it could run the archive, if slowly; nothing waits for ever."""

from __future__ import annotations

import faulthandler
import logging
import signal
import time
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event
from types import FrameType
from typing import TypeVar

from django.conf import settings
from django.db import DatabaseError, connection

from inspector.archive import reinspection
from inspector.archive.database import truncate_log
from inspector.archive.tasks import inspect_due
from inspector.feedback import waiting
from inspector.teams import audit, sessions
from inspector.usage import repricing, watch

STDERR = 2

Result = TypeVar("Result")

_LOGGER = logging.getLogger(__name__)


class Sweep:
    def __init__(self, older_than_seconds: float) -> None:
        self._older_than = timedelta(seconds=older_than_seconds)
        self._stopped = Event()
        self._truncate_at = 0.0

    def once(self) -> int:
        """Claim until nothing is left; how many were claimed."""
        total = 0
        while not self._stopped.is_set() and (claimed := self._in_time(self._inspect)):
            total += claimed
            self._truncate_log()
        return total

    def to_the_end(self) -> int:
        """The same, then whatever is to be read again or priced anew, then every look for drift
        that is due.
        """
        total = self.once()
        while not self._stopped.is_set() and self._work_on_jobs():
            self._stopped.wait(reinspection.REST_SECONDS)
        while not self._stopped.is_set() and self._in_time(watch.step):
            pass
        return total

    def until_stopped(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopped.is_set():
            self._stopped.wait(self._round())
        # Whoever closes an embedded archive last leaves no log behind.
        connection.close()

    def _round(self) -> float:
        """How many seconds to rest after it."""
        try:
            self.once()
            waiting.forget_old()
            sessions.forget_ended()
            audit.forget_old()
            self._truncate_log()
            # None waits for another to come to its end.
            if self._in_time(watch.step) | self._work_on_jobs():
                return reinspection.REST_SECONDS
        except DatabaseError as error:
            # A database that is busy, restarting or full for now is looked at again. A connection
            # that works is kept: SQLite on a full disk can be read as long as somebody has it open.
            _LOGGER.warning("the database refused: %s", error)
            if not connection.is_usable():
                connection.close()
        return float(settings.SWEEP_EVERY_SECONDS)

    def _inspect(self) -> int:
        return inspect_due(self._older_than, self._stopped.is_set)

    def _work_on_jobs(self) -> bool:
        """One step of each kind; False where there was nothing to do."""
        reinspection.open_jobs()
        steps = (reinspection.step, repricing.step)
        done = [self._in_time(partial(step, self._stopped.is_set)) for step in steps]
        return any(done)

    def _truncate_log(self) -> None:
        """One for all that was deleted meanwhile: each copies what the log holds."""
        now = time.monotonic()
        if now >= self._truncate_at and truncate_log():
            self._truncate_at = now + settings.SWEEP_EVERY_SECONDS

    def _in_time(self, work: Callable[[], Result]) -> Result:
        # When the time is up the process ends, even inside one endless instruction, and shows
        # where. The attempt is counted, and whoever started this process starts it again.
        limit = settings.TASK_TIME_LIMIT_SECONDS
        faulthandler.dump_traceback_later(limit, exit=True, file=STDERR)
        try:
            return work()
        finally:
            faulthandler.cancel_dump_traceback_later()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped.set()
