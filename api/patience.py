"""Waiting for a client, but not for ever: a server's read has no time limit of its own."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread

SECONDS = 20.0
BYTES_PER_SECOND = 256 * 1024
"""Slower than this for long is a client that holds a thread, not one that sends."""


def allowed_seconds(length: int) -> float:
    return SECONDS + length / BYTES_PER_SECOND


def finishes(work: Callable[[], None], seconds: float) -> bool:
    """False where the work is still waiting; it ends when the connection does."""
    thread = Thread(target=work, name="body", daemon=True)
    thread.start()
    thread.join(seconds)
    return not thread.is_alive()
