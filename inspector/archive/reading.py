"""What is not stored is read again from the evidence, and remembered for a while."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

import msgspec

from inspector.archive import document, evidence
from inspector.archive.document import Bounded
from inspector.archive.models import Capture, Document, Evidence
from inspector.core import reading
from inspector.core.analysis import ANALYSIS_VERSION, Analysis
from inspector.core.coding import uncoded
from inspector.core.tape import Snapshots, Tape

REMEMBERED_BYTES = 256_000_000
"""Of memory that the readouts of one process may take together, by ``weight_of``."""
QUICK_BYTES = 64_000_000
"""A body of this weight is read within the time of a request: some 0.3 s at most."""
LEAST_BYTES = 50_000
VALUE_BYTES = 64
"""What one value of a JSON text takes beside its own bytes: measured between 20 and 70."""


class Readout(msgspec.Struct, frozen=True):
    """Everything that reading says: the analysis in full, and the tape."""

    analysis: Analysis
    tape: Tape
    snapshots: Snapshots = {}


Key = tuple[str, int, bytes, bytes, str | None, int | None, str, str | None]

_remembered: OrderedDict[Key, tuple[Readout, int]] = OrderedDict()
_lock = Lock()
_turns: dict[Key, Lock] = {}
"""Whoever asks for what is being read waits for it: a page asks for several parts at once."""


def weight_of(body: bytes) -> int:
    """What the readout of a body takes in memory, about, and so how long reading it takes."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    return LEAST_BYTES + len(body) + VALUE_BYTES * values


def read_again(capture: Capture, stored: Evidence) -> Readout:
    key = _key(capture, stored)
    with _turn(key):
        return _recall(key) or _read(key, capture, stored)


def remembered(capture: Capture, stored: Evidence) -> Readout | None:
    """None where it would have to be read first."""
    return _recall(_key(capture, stored))


def _read(key: Key, capture: Capture, stored: Evidence) -> Readout:
    exchange = evidence.unpack(capture, stored)
    finished = reading.read(exchange)
    readout = Readout(finished.analysis(), finished.tape(), finished.snapshots())
    _remember(key, readout, weight_of(uncoded(exchange).body))
    return readout


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
    try:
        with turn:
            yield
    finally:
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
