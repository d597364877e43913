"""The pure machine: feed it reads, ask it for the analysis and the tape. It never raises."""

from __future__ import annotations

from inspector.core.analysis import Analysis
from inspector.core.assembly import Assembly
from inspector.core.coding import Uncoder
from inspector.core.exchange import Exchange, Outcome, Read
from inspector.core.facts import Ending, Framing
from inspector.core.framing import Sniffer
from inspector.core.interpretation import Interpretation
from inspector.core.pasting.pasted import settle_pasted
from inspector.core.settled import Settled
from inspector.core.settling import (
    better,
    has_objects_outside,
    is_sound,
    settle_document,
    take_items,
    take_tail,
)
from inspector.core.sse import Splitter
from inspector.core.tape import Snapshots, Tape


class Reading:
    """One exchange being read. Feeding it by any cutting gives the same analysis and tape.

    ``about`` tells what is known beside the bytes; its own reads are not looked at. While its
    outcome is open the reading may be asked at any time and fed on.
    """

    def __init__(self, about: Exchange | None = None) -> None:
        self._about = about or Exchange(reads=())
        self._uncoder = Uncoder(self._about.headers)
        self._reads: list[Read] = []
        self._sniffer = Sniffer()
        self._is_document: bool | None = None
        self._splitter = Splitter()
        self._assembly = Assembly()
        self._result: Interpretation | None = None

    def feed(self, read: Read) -> None:
        self._result = None
        for one in self._uncoder.feed(read):
            self._take(one)

    def _take(self, read: Read) -> None:
        self._reads.append(read)
        if self._is_document:
            return
        data = read.data
        if self._is_document is None:
            self._is_document = self._sniffer.feed(data)
            if self._is_document is not False:
                return
            data = b"".join(read.data for read in self._reads)
        take_items(self._assembly, self._splitter.feed(data))

    def analysis(self) -> Analysis:
        return self._finished().analysis

    def tape(self) -> Tape:
        return self._finished().tape

    def snapshots(self) -> Snapshots:
        return self._finished().snapshots

    def _finished(self) -> Interpretation:
        if self._result is None:
            self._result = self._finish()
        return self._result

    def _finish(self) -> Interpretation:
        reads = [*self._reads, *self._uncoder.rest()]
        body = b"".join(read.data for read in reads)
        is_stream = self._is_document is False
        settled = (self._event_stream(body) if is_stream else None) or settle_document(body)
        coding = self._uncoder.coding
        return Interpretation(self._about, reads, body, settled, coding)

    def _event_stream(self, body: bytes) -> Settled | None:
        """The fold so far with the tail; None where the lines turn out to be no event stream."""
        tail = self._splitter.tail()
        is_open = self._about.outcome is Outcome.OPEN
        if tail is None or is_open:
            settled = self._stream_of(self._assembly)
            if is_open:
                return settled
            return _whole(settled, body) if self._assembly.is_event_stream else None
        # The tail takes part in the reading, but the machine may be fed on: fold once more.
        assembly, splitter = Assembly(), Splitter()
        take_items(assembly, splitter.feed(body))
        ending = take_tail(assembly, tail)
        if ending is Ending.CLEAN and not assembly.is_event_stream:
            return None
        return _whole(self._stream_of(assembly, ending), body)

    def _stream_of(self, assembly: Assembly, ending: Ending = Ending.CLEAN) -> Settled:
        return Settled(
            assembly,
            Framing.EVENT_STREAM,
            ending,
            last_event_id=self._splitter.last_event_id,
            retry_ms=self._splitter.retry_ms,
        )


def _whole(settled: Settled, body: bytes) -> Settled:
    """A finished stream; one that breaks its objects may be a text that prints a stream."""
    if settled.assembly.chunks and is_sound(settled) and not has_objects_outside(settled):
        return settled
    return better(settled, settle_pasted(body)) or settled


def analyze(exchange: Exchange) -> Analysis:
    """Everything that reading says of a finished exchange."""
    return read(exchange).analysis()


def read(exchange: Exchange) -> Reading:
    """The reading of an exchange, fed with all of its reads."""
    reading = Reading(exchange)
    for one in exchange.reads:
        reading.feed(one)
    return reading
