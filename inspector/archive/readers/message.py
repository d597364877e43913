"""What web and its readers say to each other; both are ours, and nobody else is at the socket."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec


class Cause(StrEnum):
    """Why something was not read here and now."""

    TOO_LARGE = "reading_too_large"
    TOO_LONG = "reading_too_long"
    BUSY = "readers_busy"
    TOO_MUCH = "too_much_to_read"
    BROKEN = "reading_failed"


class Task(msgspec.Struct, frozen=True):
    work: str
    """A name in ``works.WORKS``."""
    given: Any
    cpu_seconds: float
    memory_bytes: int
    """More than the process has already."""
    result_bytes: int
    """That the value may take in memory."""


class Done(msgspec.Struct, frozen=True):
    value: bytes
    """Pickled."""
    weight: int
    """Bytes that it takes in memory."""


class Failed(msgspec.Struct, frozen=True):
    cause: Cause
    words: str
    """May quote what was read: to be kept with the capture, never to be logged."""


Reply = Done | Failed
