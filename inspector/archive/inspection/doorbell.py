"""Announces new captures to the workers. A lost message costs seconds; no request waits for it."""

import logging
import os
import time
from collections.abc import Callable
from threading import Event, Lock, Thread

from django.conf import settings

from inspector.brokers import bell

DRAIN = "inspector.archive.inspection.tasks.drain"
# Announcements within this time are merged into one.
REST_SECONDS = 0.1
# A broker that is back is found again within this time; the sweep finds captures meanwhile.
LONGEST_WAIT_SECONDS = 30.0
# Workers drop older messages: after an outage a queue of them would each cause an empty claim.
STALE_SECONDS = 60

_LOGGER = logging.getLogger(__name__)


class Doorbell:
    """Sends announcements from one daemon thread per process; failures delay that thread alone."""

    def __init__(self, send: Callable[[], object]) -> None:
        self._send = send
        self._thread: Thread | None = None
        self.failures = 0
        """Failed sends in a row; the sweep finds captures that were not announced."""
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def ring(self) -> None:
        self._rung.set()
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = Thread(target=self._answer, name="doorbell", daemon=True)
                self._thread.start()

    def _reset(self) -> None:
        # A fork copies the locks, in whatever position, and not the thread.
        self._rung, self._starting = Event(), Lock()
        self._thread = None

    def _answer(self) -> None:
        while True:
            self._rung.wait()
            self._rung.clear()
            time.sleep(self._send_one())

    def _send_one(self) -> float:
        """Send one announcement and returns the seconds to wait before the next."""
        try:
            self._send()
        except Exception as error:
            self.failures += 1
            _LOGGER.warning("the broker took no ring (%d in a row): %s", self.failures, error)
            return min(LONGEST_WAIT_SECONDS, 2.0 ** (self.failures - 1))
        self.failures = 0
        return REST_SECONDS


def _send() -> None:
    if settings.IS_EMBEDDED:
        bell.ring(settings.BELL)
        return
    # Imported by the thread that sends: no start waits for it.
    from inspector.celery import app

    app.send_task(DRAIN, retry=False, ignore_result=True, expires=STALE_SECONDS)


doorbell = Doorbell(_send)
