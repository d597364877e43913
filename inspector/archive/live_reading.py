"""Running recordings as they are watched: each segment is read once, in bounded steps, by the
machine that reads everything. It goes on when more has come.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from threading import Lock
from uuid import UUID

import msgspec

from inspector.archive.models import Capture
from inspector.archive.storage import segments
from inspector.core.reading import Reading
from inspector.core.readout import Readout, readout, readout_of
from inspector.core.wire.content_encoding import Decompressor, decompressed
from inspector.core.wire.exchange import Exchange, Read

STEP_BYTES = 1 << 20
"""Read for one question of a page, in some 90 ms; what is left is read when it asks again."""
MOST_BYTES = 4 << 20
"""A longer body is not read while it comes."""
MOST_MEMORY = 64_000_000
"""Nor is one of this weight: values take memory beside their bytes."""
# Memory of one JSON value beside its own bytes: measured between 20 and 70.
VALUE_BYTES = 64
KEPT_SECONDS = 60.0
"""What nobody asked for so long is begun anew by whoever asks next."""
HEAD_BYTES = 64


class LiveReadout(msgspec.Struct, frozen=True):
    found: Readout
    byte_length: int
    """Stored bytes that were read."""


class LiveReading:
    """A recording as far as it was read."""

    def __init__(self, about: Exchange) -> None:
        self._reading = Reading(about)
        self._coding = Decompressor(about.headers)
        self._next_segment = 0
        self._byte_length = 0
        self._lock = Lock()
        self.weight = 0
        """The memory that it takes, as estimated."""
        self.asked_at = 0.0

    def go_on(self, capture_id: UUID) -> LiveReadout | None:
        """Reads what comes next. None where it is compressed: a few bytes may be millions."""
        with self._lock:
            end = self._byte_length + STEP_BYTES
            for reads in segments.reads_from(capture_id, self._next_segment):
                for read in reads:
                    if not self._coding.is_plain:
                        self._coding.feed(Read(None, read.data[:HEAD_BYTES]))
                    if self._coding.coding is not None:
                        return None
                    self._reading.feed(read)
                    self._byte_length += len(read.data)
                    self.weight += estimated_bytes(read.data)
                self._next_segment += 1
                if self._byte_length >= end or self.weight > MOST_MEMORY:
                    break
            return LiveReadout(readout_of(self._reading), self._byte_length)


_watched: OrderedDict[UUID, LiveReading] = OrderedDict()
_watched_lock = Lock()


def live_readout(capture: Capture) -> LiveReadout | None:
    """None where its evidence is gone, or where more has come than is read meanwhile. Raises
    ``NewerEvidenceForm``.
    """
    if capture.byte_length > MOST_BYTES:
        return None
    reading = _reading_of(capture)
    if reading is None or reading.weight > MOST_MEMORY:
        return None
    return reading.go_on(capture.pk) or read_whole(segments.exchange_so_far(capture))


def read_whole(exchange: Exchange | None) -> LiveReadout | None:
    """Reads from the beginning: what cannot be read on."""
    if exchange is None:
        return None
    plain = decompressed(exchange).body
    if len(plain) > MOST_BYTES or estimated_bytes(plain) > MOST_MEMORY:
        return None
    return LiveReadout(readout(exchange), len(exchange.body))


def estimated_bytes(body: bytes) -> int:
    """Estimates the memory that the readout of a body takes, and so how long reading it takes."""
    values = body.count(b",") + body.count(b"[") + body.count(b"{")
    return len(body) + VALUE_BYTES * values


def _reading_of(capture: Capture) -> LiveReading | None:
    now = time.monotonic()
    with _watched_lock:
        reading = _watched.get(capture.pk)
    if reading is None:
        about = segments.about(capture)
        reading = LiveReading(about) if about else None
    if reading is not None:
        reading.asked_at = now
        with _watched_lock:
            _watched[capture.pk] = reading
            _watched.move_to_end(capture.pk)
            _forget(now)
    return reading


def _forget(now: float) -> None:
    weight = sum(each.weight for each in _watched.values())
    for key, reading in list(_watched.items())[:-1]:
        if weight > MOST_MEMORY or now - reading.asked_at > KEPT_SECONDS:
            weight -= _watched.pop(key).weight
