"""Logs one JSON object per line to the standard error stream, with nothing that a caller sent.

A thread writes the lines: whoever reads that stream may be slow, and calls must not wait for it.
"""

from __future__ import annotations

import json
import logging
import os
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from queue import Full, Queue
from threading import Thread
from typing import Any

PROGRAM = "proxy"
FRAMES = 20
MESSAGE_CHARACTERS = 500
MAX_WAITING_LINES = 10_000
LAST_LINES_SECONDS = 2.0
STANDARD_ERROR = 2


def fields(**values: Any) -> dict[str, Any]:
    """The ``extra`` of a logging call."""
    return {"fields": values}


class ProxyLogFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "program": PROGRAM,
            "logger": record.name,
            "event": record.getMessage()[:MESSAGE_CHARACTERS],
            **getattr(record, "fields", {}),
            **_error(record),
        }
        return json.dumps(line, default=str)


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
    handler.setFormatter(ProxyLogFormatter())
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    # Of requests that are no HTTP it would write a warning each.
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
    logging.getLogger("uvicorn.access").setLevel(logging.CRITICAL)
    logging.getLogger("asyncio").setLevel(logging.WARNING)


def _write_all(data: bytes) -> None:
    while data:
        data = data[os.write(STANDARD_ERROR, data) :]


def _error(record: logging.LogRecord) -> dict[str, Any]:
    """An error's type and where it came from: its message may quote what was sent."""
    if not record.exc_info or record.exc_info[1] is None:
        return {}
    error = record.exc_info[1]
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return {
        "error": type(error).__qualname__,
        "through": [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames],
    }
