"""Reading because somebody waits: what is small here, all else in a process that may be ended, and
so much in a second for whoever asks.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from django.conf import settings

from inspector.archive.readers.message import Cause
from inspector.archive.readers.not_read import NotRead
from inspector.archive.readers.pool import pool
from inspector.archive.readers.weight import memory_of
from inspector.archive.readers.works import size_of
from inspector.core.exchange import Exchange
from inspector.teams.buckets import Buckets

BURST_SECONDS = 16.0

Asker = tuple[str, int] | None
"""A key or a person by number; None for the programs of whoever owns the machine."""
Given = TypeVar("Given", Exchange, bytes)
Read = TypeVar("Read")

_read_bytes = Buckets(BURST_SECONDS)


def place(given: Given) -> AbstractContextManager[None]:
    """Taken before anything is waited for. Raises ``NotRead`` where all are taken."""
    return nullcontext() if _is_small(given) else pool().place()


def read(
    work: Callable[[Given], Read],
    given: Given,
    asker: Asker,
    seconds: float | None = None,
    largest: int | None = None,
) -> tuple[Read, int]:
    """What one of ``works`` says, and its weight; whoever asks has a place. Raises ``NotRead``."""
    count(asker, size_of(given))
    largest = largest or settings.READING_RESULT_BYTES
    if not _is_small(given):
        found: tuple[Any, int] = pool().read(
            work.__name__, given, seconds or settings.READING_SECONDS, largest
        )
        return found
    value = work(given)
    if (weight := memory_of(value)) > largest:
        raise NotRead(Cause.TOO_LARGE)
    return value, weight


def _is_small(given: Exchange | bytes) -> bool:
    return size_of(given) <= settings.SMALL_READING_BYTES


def count(asker: Asker, size: int) -> None:
    """Raises ``NotRead``. Small readings are counted with the others: they are many."""
    if asker is None or settings.READ_BYTES_PER_SECOND is None:
        return
    wait = _read_bytes.wait(asker, settings.READ_BYTES_PER_SECOND, size)
    if wait:
        raise NotRead(Cause.TOO_MUCH, wait_seconds=wait)
