"""What is not stored is read again from the evidence, and remembered for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from django.conf import settings

from inspector.archive import document, evidence
from inspector.archive.document import Bounded
from inspector.archive.models import Capture, Document, Evidence
from inspector.archive.readers import on_demand
from inspector.archive.readers.message import Cause
from inspector.archive.readers.not_read import NotRead
from inspector.archive.readers.on_demand import Asker
from inspector.archive.readers.works import Readout, readout
from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.exchange import Exchange

REMEMBERED_BYTES = 128 << 20
"""Of memory that the readouts of one process may take together."""
QUICK_BYTES = 64_000_000
"""A body of this weight (``weight_of``) is read within the time of a request: some 0.3 s."""
LEAST_BYTES = 50_000
VALUE_BYTES = 64
"""What one value of a JSON text takes beside its own bytes: measured between 20 and 70."""


Key = tuple[str, int, bytes, bytes, str | None, int | None, str, str | None]

_remembered: OrderedDict[Key, tuple[Readout, int]] = OrderedDict()
_lock = Lock()
_turns: dict[Key, Lock] = {}
"""Whoever asks for what is being read waits for it: a page asks for several parts at once."""


def weight_of(body: bytes) -> int:
    """What the readout of a body takes in memory, about, and so how long reading it takes."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    return LEAST_BYTES + len(body) + VALUE_BYTES * values


def read_again(
    capture: Capture, stored: Evidence, asker: Asker = None, unpacked: Exchange | None = None
) -> Readout:
    """Raises ``NotRead`` where it cannot be read here and now."""
    key = _key(capture, stored)
    if (found := _recall(key)) is not None:
        return found
    exchange = unpacked or evidence.unpack(capture, stored)
    with on_demand.place(exchange), _turn(key):
        return _recall(key) or _read(key, exchange, asker)


def remembered(capture: Capture, stored: Evidence) -> Readout | None:
    """None where it would have to be read first."""
    return _recall(_key(capture, stored))


def _read(key: Key, exchange: Exchange, asker: Asker) -> Readout:
    found, weight = on_demand.read(readout, exchange, asker)
    _remember(key, found, weight)
    return found


def document_of(capture: Capture, stored: Document) -> Bounded:
    """As it is stored; in a shape that only another release knows, what this one reads instead."""
    found = document.readable(bytes(stored.analysis))
    if found is None:
        found = document.unpack(document.pack(read_again(capture, capture.evidence).analysis))
    return found


@contextmanager
def _turn(key: Key) -> Iterator[None]:
    with _lock:
        turn = _turns.setdefault(key, Lock())
    if not turn.acquire(timeout=settings.READING_SECONDS):
        raise NotRead(Cause.BUSY)
    try:
        yield
    finally:
        turn.release()
        with _lock:
            _turns.pop(key, None)


def _recall(key: Key) -> Readout | None:
    with _lock:
        if key not in _remembered:
            return None
        _remembered.move_to_end(key)
        return _remembered[key][0]


def _remember(key: Key, readout: Readout, weight: int) -> None:
    """What is too heavy by itself is read each time."""
    if weight > REMEMBERED_BYTES:
        return
    with _lock:
        _remembered[key] = readout, weight
        while sum(each for _, each in _remembered.values()) > REMEMBERED_BYTES:
            _remembered.popitem(last=False)


def _key(capture: Capture, stored: Evidence) -> Key:
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
    )
