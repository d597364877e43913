"""Caches full readings for a while, and what links show of exchanges. They are not stored but made
again from the evidence.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar

from django.conf import settings

from inspector.archive.models import Capture, Document, Evidence
from inspector.archive.readers import on_demand
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.archive.readers.on_demand import Asker
from inspector.archive.storage import document, evidence
from inspector.archive.storage.document import StoredAnalysis
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.readout import Readout, readout
from inspector.core.request_echo import without_request
from inspector.core.wire.exchange import Exchange

CACHE_BYTES = 128 << 20
"""Most memory that what one process caches takes together."""
QUICK_BYTES = 64_000_000
"""A body of this weight (``estimated_bytes``) is read within the time of a request: some 0.3 s."""
QUICK_BODY_BYTES = 4 << 20
"""A larger one is handed to its reader and back for longer than it is read."""
MIN_BYTES = 50_000
# Memory of one JSON value beside its own bytes: measured between 20 and 70.
VALUE_BYTES = 64


Key = tuple[str, str, int, bytes, bytes, str | None, int | None, str, str | None]
Kept = TypeVar("Kept", Readout, Exchange)

_cache: OrderedDict[Key, tuple[Any, int]] = OrderedDict()
_lock = Lock()
# A page asks for several parts at once: the second request waits for the first reading.
_read_locks: dict[Key, Lock] = {}


def estimated_bytes(body: bytes) -> int:
    """Estimates the memory that the readout of a body takes, and so how long reading it takes."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    return MIN_BYTES + len(body) + VALUE_BYTES * values


def is_quick(body: bytes) -> bool:
    """True if a page may read the body before it is shown."""
    return len(body) <= QUICK_BODY_BYTES and estimated_bytes(body) <= QUICK_BYTES


def cached_or_read(
    capture: Capture,
    stored: Evidence,
    asker: Asker = None,
    unpacked: Exchange | None = None,
    *,
    is_alone: bool = False,
) -> Readout:
    """``is_alone``: ``unpacked`` is without its request. Raises ``ReadingError`` where it cannot be
    read here and now.
    """
    key = _key("alone" if is_alone else "readout", capture, stored)
    found: Readout | None = _cached(key)
    if found is not None:
        return found
    return _cached_or_made(key, readout, unpacked or evidence.unpack(capture, stored), asker)


def cached_or_without_request(
    capture: Capture, stored: Evidence, asker: Asker, whole: Exchange
) -> Exchange:
    """Raises ``ReadingError`` where it cannot be made here and now."""
    return _cached_or_made(_key("shown", capture, stored), without_request, whole, asker)


def cached_readout(capture: Capture, stored: Evidence) -> Readout | None:
    """The readout if it is cached, else None."""
    found: Readout | None = _cached(_key("readout", capture, stored))
    return found


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


def analysis_of(capture: Capture, stored: Document) -> StoredAnalysis:
    """The stored analysis; where another release stored it in an unknown shape, a new reading of
    the evidence.
    """
    found = document.unpack_if_known(bytes(stored.analysis))
    if found is None:
        found = document.unpack(document.pack(cached_or_read(capture, capture.evidence).analysis))
    return found


@contextmanager
def _read_lock(key: Key) -> Iterator[None]:
    with _lock:
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
