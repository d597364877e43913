"""The slow reading of this process: it goes on in a reader process, which can be ended alone, while
this one inspects other captures.
"""

import time
from threading import Thread

from django.conf import settings

from inspector.archive.models import Capture
from inspector.archive.readers.child import ReaderProcess
from inspector.archive.readers.extract import Extract, extract
from inspector.archive.readers.messages import ReaderTask
from inspector.archive.storage import evidence


class ReadingApart(Thread):
    """A capture under a lease, and its reading in a reader process."""

    def __init__(self, capture: Capture, reader: ReaderProcess) -> None:
        super().__init__(name="reading apart", daemon=True)
        self.capture = capture
        self.began = time.monotonic()
        self._reader = reader
        self._found: Extract | Exception

    def run(self) -> None:
        try:
            task = ReaderTask(
                work=extract,
                given=evidence.unpack(self.capture, self.capture.evidence),
                cpu_seconds=settings.SLOW_READING_CPU_SECONDS,
                memory_bytes=settings.WORK_MEMORY_BYTES,
                result_bytes=settings.READING_MEMORY_BYTES,
            )
            self._found, _ = self._reader.read(task, settings.SLOW_READING_SECONDS)
        except Exception as error:
            self._found = error

    def result(self, capture: Capture) -> Extract:
        """Raise whatever the reading raised."""
        if isinstance(self._found, Exception):
            raise self._found
        return self._found


class SlowReader:
    """Reads one capture at a time apart; its reader process lives until ``end``."""

    def __init__(self) -> None:
        self._reading: ReadingApart | None = None
        self._reader: ReaderProcess | None = None

    @property
    def is_at_work(self) -> bool:
        return self._reading is not None

    def begin(self, capture: Capture) -> None:
        if self._reader is None or not self._reader.is_alive:
            self._reader = ReaderProcess()
        self._reading = ReadingApart(capture, self._reader)
        self._reading.start()

    def finished(self, wait_seconds: float) -> ReadingApart | None:
        """Wait so long for the reading under way; returns it once it is over."""
        if self._reading is None:
            return None
        self._reading.join(wait_seconds)
        if self._reading.is_alive():
            return None
        reading, self._reading = self._reading, None
        return reading

    def end(self) -> Capture | None:
        """End the reader process; returns the capture whose reading ended with it."""
        reading, self._reading = self._reading, None
        if self._reader is not None:
            self._reader.end()
            self._reader = None
        return None if reading is None else reading.capture


slow_reader = SlowReader()
