"""Logs one JSON object per line to the standard error stream, with nothing that a caller sent.

A thread writes the lines: whoever reads that stream may be slow, and calls must not wait for it.
"""

import logging
import os
from contextlib import suppress
from queue import Full, Queue
from threading import Thread

from inspector.logs.line_format import LineFormatter
from inspector.logs.line_stream import write_lines_only

PROGRAM = "proxy"
MAX_WAITING_LINES = 10_000
"""A few MB; beyond it lines are dropped, for calls go first."""
LAST_LINES_SECONDS = 2.0
"""At the end: nobody may read the stream any more."""
STANDARD_ERROR = 2


class QueueingHandler(logging.Handler):
    """Lines that come while too many wait are left out."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: Queue[str | None] = Queue(MAX_WAITING_LINES)
        self._writer = Thread(target=self._write, daemon=True)
        self._writer.start()

    def emit(self, record: logging.LogRecord) -> None:
        with suppress(Full):
            self._lines.put_nowait(self.format(record))

    def close(self) -> None:
        with suppress(Full):
            self._lines.put_nowait(None)
        self._writer.join(LAST_LINES_SECONDS)
        super().close()

    def _write(self) -> None:
        with suppress(OSError):
            while (line := self._lines.get()) is not None:
                # Not through sys.stderr, whose lock this thread may hold when the process ends.
                _write_all(f"{line}\n".encode())


def configure() -> None:
    handler = QueueingHandler()
    handler.setFormatter(LineFormatter(PROGRAM))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    write_lines_only(PROGRAM)
    # Of requests that are no HTTP it would write a warning each.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(STANDARD_ERROR, data) :]
