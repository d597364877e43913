"""What is not stored is read again from the evidence, and remembered for a while."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

import msgspec

from inspector.archive import evidence
from inspector.archive.models import Capture, Evidence
from inspector.core import reading
from inspector.core.analysis import ANALYSIS_VERSION, Analysis
from inspector.core.tape import Tape

REMEMBERED = 8
REMEMBERED_BYTES = 2_000_000
"""A larger body is read each time: its analysis may take many times its size."""


class Readout(msgspec.Struct, frozen=True):
    """Everything that reading says: the analysis in full, and the tape."""

    analysis: Analysis
    tape: Tape


Key = tuple[str, int, bytes, bytes, str | None, int | None, str, str | None]

_remembered: OrderedDict[Key, Readout] = OrderedDict()
_lock = Lock()


def read_again(capture: Capture, stored: Evidence) -> Readout:
    key = _key(capture, stored)
    with _lock:
        if key in _remembered:
            _remembered.move_to_end(key)
            return _remembered[key]
    finished = reading.read(evidence.unpack(capture, stored))
    readout = Readout(finished.analysis(), finished.tape())
    if capture.byte_length <= REMEMBERED_BYTES:
        _remember(key, readout)
    return readout


def _remember(key: Key, readout: Readout) -> None:
    with _lock:
        _remembered[key] = readout
        if len(_remembered) > REMEMBERED:
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
