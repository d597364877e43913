"""Reads what a client waits for: small inputs in this process, larger ones in a child that can be
killed, at a limited rate per principal.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any, TypeVar

from django.conf import settings

from inspector.archive.readers.child import web_reader
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.storage.value_memory import memory_of
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.exchange import Exchange
from inspector.web.token_buckets import TokenBuckets

BURST_SECONDS = 16.0
"""At 4 MiB a second two of the largest bodies (32 MiB) at once."""

Asker = tuple[str, int] | None
"""("key", "person" or "share", number); None for commands run by the owner of the machine."""
ReaderInput = TypeVar("ReaderInput", Exchange, bytes)
ReaderResult = TypeVar("ReaderResult")

_read_bytes = TokenBuckets(BURST_SECONDS)


def reserve_reader(given: ReaderInput) -> AbstractContextManager[None]:
    """Taken before anything is waited for. Raises ``ReadingError`` where all are taken."""
    return nullcontext() if _is_small(given) else web_reader().place()


def read(
    work: Callable[[ReaderInput], ReaderResult],
    given: ReaderInput,
    asker: Asker,
    seconds: float | None = None,
    largest: int | None = None,
) -> tuple[ReaderResult, int]:
    """Run one operation; returns the result and its size. Raises ``ReadingError``."""
    charge_read_bytes(asker, size_of(given))
    largest = largest or settings.READING_RESULT_BYTES
    if not _is_small(given):
        found: tuple[Any, int] = web_reader().read(
            work, given, seconds or settings.READING_SECONDS, largest
        )
        return found
    value = work(given)
    if (weight := memory_of(value)) > largest:
        raise ReadingError(ReadingErrorCause.TOO_LARGE)
    return value, weight


def size_of(given: Exchange | bytes) -> int:
    """Decompressed bytes of all bodies: what limits of rate and size count of a reading."""
    if isinstance(given, bytes):
        return len(given)
    request_body = given.request.body if given.request else None
    return len(decompressed(given).body) + len(request_body or b"")


def _is_small(given: Exchange | bytes) -> bool:
    return size_of(given) <= settings.SMALL_READING_BYTES


def charge_read_bytes(asker: Asker, size: int) -> None:
    """Count bytes, of small readings too, against the rate limit. Raises ``ReadingError``."""
    if asker is None or settings.READ_BYTES_PER_SECOND is None:
        return
    if wait := _read_bytes.wait(asker, settings.READ_BYTES_PER_SECOND, size):
        raise ReadingError(ReadingErrorCause.TOO_MUCH, wait_seconds=wait)


def owe_read_bytes(asker: Asker, size: int) -> None:
    """Count bytes that are read in any case, for which the asker's next reading waits."""
    if asker is not None and settings.READ_BYTES_PER_SECOND is not None:
        _read_bytes.owe(asker, settings.READ_BYTES_PER_SECOND, size)
