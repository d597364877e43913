"""Caches full readings for a while. They are not stored but read again from the evidence."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

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
from inspector.core.wire.exchange import Exchange

CACHE_BYTES = 128 << 20
"""Most memory that the cached readouts of one process take together."""
QUICK_BYTES = 64_000_000
"""A body of this weight (``estimated_bytes``) is read within the time of a request: some 0.3 s."""
QUICK_BODY_BYTES = 4 << 20
"""A larger one is handed to its reader and back for longer than it is read."""
MIN_BYTES = 50_000
# Memory of one JSON value beside its own bytes: measured between 20 and 70.
VALUE_BYTES = 64


Key = tuple[str, int, bytes, bytes, str | None, int | None, str, str | None, bool]

_cache: OrderedDict[Key, tuple[Readout, int]] = OrderedDict()
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
    key = _key(capture, stored, is_alone)
    if (found := _cached(key)) is not None:
        return found
    exchange = unpacked or evidence.unpack(capture, stored)
    with on_demand.reserve_reader(exchange), _read_lock(key):
        # Looked up again: whoever held the lock before has just read the same bytes.
        return _cached(key) or _read(key, exchange, asker)


def cached_readout(capture: Capture, stored: Evidence) -> Readout | None:
    """The readout if it is cached, else None."""
    return _cached(_key(capture, stored))


def _read(key: Key, exchange: Exchange, asker: Asker) -> Readout:
    found, weight = on_demand.read(readout, exchange, asker)
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


def _cached(key: Key) -> Readout | None:
    with _lock:
        if key not in _cache:
            return None
        # The least recently used readout is dropped first.
        _cache.move_to_end(key)
        return _cache[key][0]


def _store_in_cache(key: Key, readout: Readout, weight: int) -> None:
    # A readout larger than the whole cache is read each time.
    if weight > CACHE_BYTES:
        return
    with _lock:
        _cache[key] = readout, weight
        while sum(each for _, each in _cache.values()) > CACHE_BYTES:
            _cache.popitem(last=False)


def _key(capture: Capture, stored: Evidence, is_alone: bool = False) -> Key:
    """Everything that reading depends on: equal keys are equal exchanges."""
    return (
        capture.sha256,
        ANALYSIS_VERSION,
        bytes(stored.reads),
        bytes(stored.surroundings),
        capture.content_type,
        capture.status_code,
        capture.outcome,
        capture.dialect_hint,
        is_alone,
    )
