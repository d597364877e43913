"""Running recordings as they are watched: each segment is read once, in bounded steps, by the
machine that reads everything. It goes on when more has come.
"""

import time
from collections import OrderedDict
from threading import Lock
from uuid import UUID

import msgspec

from inspector.archive.models import Capture
from inspector.archive.readers import on_demand
from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.on_demand import Asker
from inspector.archive.storage import segments
from inspector.core.reading import Reading
from inspector.core.readout import Readout, readout, readout_of
from inspector.core.wire.content_encoding import Decompressor, decompressed
from inspector.core.wire.exchange import Exchange, Read

STEP_MEMORY = 2_000_000
"""What is read for one question of a page, in some 40 ms: 400 kB of chunks; the next goes on."""
STEP_SECONDS = 0.5
"""Processor time of a step. A longer one is not read on: each question goes through all of it."""
MOST_BYTES = 4 << 20
"""A longer body is not read while it comes."""
MOST_MEMORY = 64_000_000
"""Nor is one of this weight: values take memory beside their bytes."""
# Memory of one JSON value beside its own bytes: measured between 20 and 70.
VALUE_BYTES = 64
KEPT_SECONDS = 60.0
"""Time after its last question for which a reading is kept; whoever asks later begins it anew."""
HEAD_BYTES = 64
"""Tells a coding by its first bytes, and undoes none of it: those may be millions."""


class LiveReadout(msgspec.Struct, frozen=True):
    found: Readout
    byte_length: int
    """Stored bytes that were read."""


class LiveReading:
    """A recording as far as it was read."""

    def __init__(self, about: Exchange) -> None:
        self._reading = Reading(about)
        self._coding = Decompressor(about.headers)
        self._next_segment = self._reads_done = self._byte_length = 0
        # Two who watch one recording would read its next segment twice.
        self._lock = Lock()
        self.is_too_much = False
        self.weight = 0
        """The memory that it takes, as estimated."""
        self.asked_at = 0.0

    @property
    def is_compressed(self) -> bool:
        """A few bytes may be millions."""
        return self._coding.coding is not None

    def go_on(self, capture_id: UUID) -> LiveReadout | None:
        """Read what comes next. None where that is too much, or compressed."""
        with self._lock:
            if self.is_too_much or self.is_compressed:
                return None
            began = time.thread_time()
            self._feed(capture_id, self.weight + STEP_MEMORY)
            found = LiveReadout(readout_of(self._reading), self._byte_length)
            took = time.thread_time() - began
            self.is_too_much = took > STEP_SECONDS or self.weight > MOST_MEMORY
            return None if self.is_compressed else found

    def _feed(self, capture_id: UUID, most: int) -> None:
        for reads in segments.reads_from(capture_id, self._next_segment):
            for read in reads[self._reads_done :]:
                if self.weight > most:
                    return
                if not self._coding.is_plain:
                    self._coding.feed(Read(None, read.data[:HEAD_BYTES]))
                if self.is_compressed:
                    return
                self._reading.feed(read)
                self._reads_done += 1
                self._byte_length += len(read.data)
                self.weight += estimated_bytes(read.data)
            self._next_segment, self._reads_done = self._next_segment + 1, 0


_watched: OrderedDict[UUID, LiveReading] = OrderedDict()
# Of the table alone: a reading takes long, and has its own.
_watched_lock = Lock()


def live_readout(capture: Capture, asker: Asker) -> LiveReadout | None:
    """None where its evidence is gone, or where more has come than is read meanwhile. Raises
    ``NewerEvidenceForm``, and ``ReadingError`` where somebody else is read for.
    """
    if capture.byte_length > MOST_BYTES:
        return None
    reading = _reading_of(capture)
    if reading is None:
        return None
    found = reading.go_on(capture.pk)
    if reading.is_compressed:
        return read_whole(segments.exchange_so_far(capture), asker)
    return found


def read_whole(exchange: Exchange | None, asker: Asker) -> LiveReadout | None:
    """Read from the beginning: what cannot be read on."""
    if exchange is None:
        return None
    plain = decompressed(exchange).body
    if len(plain) > MOST_BYTES or estimated_bytes(plain) > MOST_MEMORY:
        return None
    try:
        with on_demand.reserve_reader(exchange):
            found, _ = on_demand.read(readout, exchange, asker)
    except ReadingError as error:
        if error.retry_after is not None:
            raise
        return None
    return LiveReadout(found, len(exchange.body))


def estimated_bytes(body: bytes) -> int:
    """Estimate the memory that the readout of a body takes, and so how long reading it takes."""
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
