"""The worker of an embedded installation: one process that inspects whenever it is rung for.

What takes long is read by a process of its own, one at a time (``slow_reader``).
"""

import logging
import signal
from functools import partial
from pathlib import Path
from threading import Event
from types import FrameType

from django.db import DatabaseError, connection

from inspector.archive.inspection.tasks import drain, prepare
from inspector.brokers.bell import Listener
from inspector.operations.time_limit import in_time

_LOGGER = logging.getLogger(__name__)


class Worker:
    def __init__(self, pipe: Path) -> None:
        self._bell = Listener(pipe)
        self._stopped = Event()

    def until_stopped(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        # Before the first ring, too: nobody heard those of before.
        self.answer()
        # Loaded while nobody waits, and not by the first capture.
        prepare()
        while not self._stopped.is_set():
            self._bell.wait()
            self.answer()
        self._bell.close()
        connection.close()

    def answer(self) -> None:
        """Inspect what is due. What a database that is busy or full refuses, the sweep tries."""
        try:
            in_time(partial(drain, self._stopped.is_set))
        except DatabaseError as error:
            _LOGGER.warning("the database refused: %s", error)
            if not connection.is_usable():
                connection.close()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self._stopped.set()
        self._bell.wake()
