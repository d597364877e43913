"""Caches what links without the prompt show: the response alone, and what is read of it."""

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from django.conf import settings

from inspector.archive.models import Capture, Evidence
from inspector.archive.readers import on_demand
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.on_demand import Asker
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.readout import Readout, readout
from inspector.core.request.request_echo import without_request
from inspector.core.wire.exchange import Exchange

CACHE_BYTES = 128 << 20
"""Most memory that what one process caches takes together."""

Key = tuple[str, str, int, bytes, bytes, str | None, int | None, str, str | None]
Kept = TypeVar("Kept", Readout, Exchange)

_cache: OrderedDict[Key, tuple[Any, int]] = OrderedDict()
# Of both tables; whoever holds it reads nothing.
_lock = Lock()
# A page asks for several parts at once: the second request waits for the first reading.
_read_locks: dict[Key, Lock] = {}


def exchange_alone(capture: Capture, stored: Evidence, asker: Asker, whole: Exchange) -> Exchange:
    """Raise ``ReadingError`` where it cannot be made here and now."""
    return _cached_or_made(_key("exchange", capture, stored), without_request, whole, asker)


def readout_alone(capture: Capture, stored: Evidence, asker: Asker, alone: Exchange) -> Readout:
    """Raise ``ReadingError`` where it cannot be read here and now."""
    return _cached_or_made(_key("readout", capture, stored), readout, alone, asker)


def _cached_or_made(
    key: Key, work: Callable[[Exchange], Kept], exchange: Exchange, asker: Asker
) -> Kept:
    found: Kept | None = _cached(key)
    if found is not None:
        return found
    with on_demand.reserve_reader(exchange), _read_lock(key):
        # Looked up again: whoever held the lock before has just read the same bytes.
        found = _cached(key)
        return _make(key, work, exchange, asker) if found is None else found


def _make(key: Key, work: Callable[[Exchange], Kept], exchange: Exchange, asker: Asker) -> Kept:
    found, weight = on_demand.read(work, exchange, asker)
    _store_in_cache(key, found, weight)
    return found


@contextmanager
def _read_lock(key: Key) -> Iterator[None]:
    with _lock:
        # Of one body: readings of others go on.
        turn = _read_locks.setdefault(key, Lock())
    if not turn.acquire(timeout=settings.READING_SECONDS):
        raise ReadingError(ReadingErrorCause.BUSY)
    try:
        yield
    finally:
        turn.release()
        with _lock:
            _read_locks.pop(key, None)


def _cached(key: Key) -> Any:
    with _lock:
        if key not in _cache:
            return None
        # The least recently used is dropped first.
        _cache.move_to_end(key)
        return _cache[key][0]


def _store_in_cache(key: Key, made: Readout | Exchange, weight: int) -> None:
    # What is larger than the whole cache is made each time.
    if weight > CACHE_BYTES:
        return
    with _lock:
        _cache[key] = made, weight
        while sum(each for _, each in _cache.values()) > CACHE_BYTES:
            _cache.popitem(last=False)


def _key(what: str, capture: Capture, stored: Evidence) -> Key:
    """Everything that reading depends on: equal keys are equal exchanges."""
    return (
        what,
        capture.sha256,
        ANALYSIS_VERSION,
        bytes(stored.reads),
        bytes(stored.surroundings),
        capture.content_type,
        capture.status_code,
        capture.outcome,
        capture.dialect_hint,
    )
