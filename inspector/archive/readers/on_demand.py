"""Reads a capture while a client waits: small inputs in this process, larger ones in a process that
can be killed, at a limited rate per principal.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from django.conf import settings

from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.operations import size_of
from inspector.archive.readers.pool import pool
from inspector.archive.storage.value_memory import memory_of
from inspector.core.request.prompt.reading import PromptRequest
from inspector.core.wire.exchange import Exchange
from inspector.web.token_buckets import TokenBuckets

BURST_SECONDS = 16.0
QUICK_BYTES = 64_000_000
"""A body of this weight (``estimated_bytes``) is read within the time of a request: some 0.3 s."""
QUICK_BODY_BYTES = 4 << 20
"""A larger one is handed to its reader and back for longer than it is read."""
# Memory of one JSON value beside its own bytes: measured between 20 and 70.
VALUE_BYTES = 64

Asker = tuple[str, int] | None
"""("key", "person" or "share", number); None for commands run by the owner of the machine."""
ReaderInput = TypeVar("ReaderInput", Exchange, PromptRequest, bytes)
ReaderResult = TypeVar("ReaderResult")

_read_bytes = TokenBuckets(BURST_SECONDS)


def is_quick(body: bytes) -> bool:
    """True if a recording of it may be read each time that a page asks."""
    return len(body) <= QUICK_BODY_BYTES and estimated_bytes(body) <= QUICK_BYTES


def estimated_bytes(body: bytes) -> int:
    """Estimates the memory that the readout of a body takes, and so how long reading it takes."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    return len(body) + VALUE_BYTES * values


def reserve_reader(given: ReaderInput) -> AbstractContextManager[None]:
    """Taken before anything is waited for. Raises ``ReadingError`` where all are taken."""
    return nullcontext() if _is_small(given) else pool().place()


def read(
    work: Callable[[ReaderInput], ReaderResult],
    given: ReaderInput,
    asker: Asker,
    seconds: float | None = None,
    largest: int | None = None,
) -> tuple[ReaderResult, int]:
    """Runs one operation; returns the result and its size. Raises ``ReadingError``."""
    charge_read_bytes(asker, size_of(given))
    largest = largest or settings.READING_RESULT_BYTES
    if not _is_small(given):
        found: tuple[Any, int] = pool().read(
            work.__name__, given, seconds or settings.READING_SECONDS, largest
        )
        return found
    value = work(given)
    if (weight := memory_of(value)) > largest:
        raise ReadingError(ReadingErrorCause.TOO_LARGE)
    return value, weight


def _is_small(given: Exchange | PromptRequest | bytes) -> bool:
    return size_of(given) <= settings.SMALL_READING_BYTES


def charge_read_bytes(asker: Asker, size: int) -> None:
    """Counts bytes, of small readings too, against the rate limit. Raises ``ReadingError``."""
    if asker is None or settings.READ_BYTES_PER_SECOND is None:
        return
    if wait := _read_bytes.wait(asker, settings.READ_BYTES_PER_SECOND, size):
        raise ReadingError(ReadingErrorCause.TOO_MUCH, wait_seconds=wait)


def owe_read_bytes(asker: Asker, size: int) -> None:
    """Counts bytes that are read in any case, such as lines of a batch that goes on: whatever the
    asker has read next waits for them.
    """
    if asker is not None and settings.READ_BYTES_PER_SECOND is not None:
        _read_bytes.owe(asker, settings.READ_BYTES_PER_SECOND, size)
