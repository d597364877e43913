"""A running answer as it is read: once, for all who watch it.

What is new since a position is encoded once, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from inspector.core.credentials.response_body import joined, without_coding
from inspector.core.reading import Reading
from inspector.core.so_far import START, TapePosition
from inspector.core.wire.exchange import Exchange, MeasuredBy, Read, Request, TransportOutcome
from inspector.proxy.recorder.call_spool import (
    CallEnd,
    CallHead,
    CallReads,
    CallRecord,
    CallRequestBody,
    CallResponseHead,
)
from inspector.proxy.recorder.spooled_call import reads_of

OPEN = Exchange(reads=(), outcome=TransportOutcome.OPEN, measured_by=MeasuredBy.PROXY)


class WatchPosition(NamedTuple):
    """How far a watcher has come."""

    reading: int
    """Which one: a body that goes on decompressed is read anew."""
    tape: TapePosition


@dataclass(slots=True)
class Strand:
    """One way by which reads come. Another may have brought some of them before."""

    came: int = 0
    decoded: int = 0


class LiveReading:
    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` gives Unix time in seconds."""
        self._clock = clock
        self._about = OPEN
        self._started_at: float | None = None
        self._sent_at: float | None = None
        """Unix time in seconds at which the request was sent, as far as can be told from when reads
        were seen: no read is seen before it came.
        """
        self._came: list[Read] = []
        self._decoded: list[Read] = []
        self._reading = Reading(OPEN)
        self._number = 0
        self._encoded: dict[TapePosition, tuple[TapePosition, bytes]] = {}
        self._newest_us = 0
        self.byte_length = 0
        self.is_ended = False

    # -- what comes -------------------------------------------------------------------------------

    def add(self, strand: Strand, records: Iterable[CallRecord], seen_at: float) -> None:
        """``seen_at``: Unix time in seconds at which the last of them was there."""
        for record in records:
            if isinstance(record, CallReads):
                add = self._add_decoded if record.is_decoded else self._add_came
                add(strand, reads_of(record))
            elif isinstance(record, CallEnd):
                self.is_ended = True
            else:
                self._learn(record)
        self._see(seen_at)

    def add_stored(
        self, strand: Strand, about: Exchange, started_at: float | None, reads: Sequence[Read]
    ) -> None:
        """Adds what the archive has of the call."""
        if self._started_at is None:
            self._started_at = started_at
        about = msgspec.structs.replace(about, reads=(), outcome=TransportOutcome.OPEN)
        if not self._came and about != self._about:
            self._restart(about)
        self._add_came(strand, reads)
        self._see(self._clock())

    # -- what is new ------------------------------------------------------------------------------

    @property
    def now_us(self) -> int:
        """Time since the request was sent."""
        sent_at = self._started_at if self._sent_at is None else self._sent_at
        passed = 0.0 if sent_at is None else self._clock() - sent_at
        return max(self._newest_us, int(passed * 1e6))

    def since(self, position: WatchPosition | None) -> tuple[WatchPosition, bytes] | None:
        """JSON of what came since a position, and the next one; None where nothing did. A watcher
        without a position gets the whole, and so does one of an earlier reading.
        """
        is_anew = position is None or position.reading != self._number
        tape = START if position is None or is_anew else position.tape
        if tape not in self._encoded:
            self._encoded[tape] = self._encode(tape)
        reached, body = self._encoded[tape]
        if reached == tape and not is_anew:
            return None
        return WatchPosition(self._number, reached), body

    def _encode(self, since: TapePosition) -> tuple[TapePosition, bytes]:
        columns = msgspec.structs.asdict(self._reading.so_far(since))
        return columns.pop("position"), msgspec.json.encode(columns)

    # -- reading ----------------------------------------------------------------------------------

    def _learn(self, record: CallHead | CallRequestBody | CallResponseHead) -> None:
        if isinstance(record, CallHead):
            self._started_at = record.started_at
        about = _with(self._about, record)
        if self._came or self._decoded:
            # Too late for what is read already.
            self._about = about
        else:
            self._restart(about)

    def _add_came(self, strand: Strand, reads: Sequence[Read]) -> None:
        fresh = reads[max(0, len(self._came) - strand.came) :]
        strand.came += len(reads)
        self._came += fresh
        # Of a body that is read decompressed they are in what was read anew.
        if not self._decoded:
            self._feed(fresh)

    def _add_decoded(self, strand: Strand, reads: Sequence[Read]) -> None:
        fresh = reads[max(0, len(self._decoded) - strand.decoded) :]
        strand.decoded += len(reads)
        if fresh and not self._decoded:
            about = self._about
            before = joined(about.headers, self._came, ())
            self._restart(msgspec.structs.replace(about, headers=without_coding(about.headers)))
            self._feed(before)
        self._decoded += fresh
        self._feed(fresh)

    def _restart(self, about: Exchange) -> None:
        self._about = about
        self._reading = Reading(about)
        self._number += 1
        self._encoded.clear()
        self.byte_length = 0

    def _feed(self, reads: Sequence[Read]) -> None:
        if not reads:
            return
        for read in reads:
            self._reading.feed(read)
            self.byte_length += len(read.data)
        self._newest_us = max(self._newest_us, reads[-1].at_us or 0)
        self._encoded.clear()

    def _see(self, seen_at: float) -> None:
        """The request was sent at the latest when it makes the newest read come at this moment."""
        if self._newest_us:
            sent_at = seen_at - self._newest_us / 1e6
            self._sent_at = sent_at if self._sent_at is None else min(self._sent_at, sent_at)


def _with(about: Exchange, record: CallHead | CallRequestBody | CallResponseHead) -> Exchange:
    match record:
        case CallHead(request=request):
            return msgspec.structs.replace(about, request=request)
        case CallRequestBody(data=body):
            request = msgspec.structs.replace(about.request or Request(), body=body)
            return msgspec.structs.replace(about, request=request)
        case CallResponseHead(status=status, headers=headers):
            types = (value for name, value in headers if name.lower() == "content-type")
            return msgspec.structs.replace(
                about, status_code=status, headers=headers, content_type=next(types, None)
            )
