"""Messages between web and its reader processes. Both ends are our own code on a private socket."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class ReadingErrorCause(StrEnum):
    """Why something was not read here and now."""

    TOO_LARGE = "reading_too_large"
    TOO_LONG = "reading_too_long"
    BUSY = "readers_busy"
    TOO_MUCH = "too_much_to_read"
    BROKEN = "reading_failed"


class ReaderTask(msgspec.Struct, frozen=True):
    work: str
    """A name in ``operations.OPERATIONS``."""
    given: Any
    cpu_seconds: float
    memory_bytes: int
    """More than the process has already."""
    result_bytes: int
    """Most memory the result may take."""


class ReaderDone(msgspec.Struct, frozen=True):
    value: bytes
    """Pickled."""
    weight: int
    """Bytes that it takes in memory."""


class ReaderFailed(msgspec.Struct, frozen=True):
    cause: ReadingErrorCause
    words: str
    """May quote the payload: may be kept with the capture, must never be logged."""


ReaderReply = ReaderDone | ReaderFailed
