"""Reads an exchange: feed it reads, then ask for the analysis and the tape."""

from __future__ import annotations

from inspector.core.analysis import Analysis
from inspector.core.fold.assembly import Assembly
from inspector.core.interpretation import Interpretation
from inspector.core.parse_body import (
    better_of,
    has_objects_outside,
    is_sound,
    parse_document,
    take_items,
    take_tail,
)
from inspector.core.parsed_body import ParsedBody
from inspector.core.pasted.parse_pasted import parse_pasted_body
from inspector.core.tape import Snapshots, Tape
from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.exchange import Exchange, Read, TransportOutcome
from inspector.core.wire.framing import Ending, Framing, Sniffer
from inspector.core.wire.sse import Splitter


class Reading:
    """One exchange being read. Never raises, whatever the bytes are.

    The result does not depend on how the bytes are cut into reads. ``about`` gives what is known
    besides the bytes (headers, status, request, outcome); its own reads are ignored. While the
    outcome is open, results may be asked for at any time and feeding may go on.
    """

    def __init__(self, about: Exchange | None = None) -> None:
        self._about = about or Exchange(reads=())
        self._uncoder = Decompressor(self._about.headers)
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
        settled = (self._event_stream(body) if is_stream else None) or parse_document(body)
        coding = self._uncoder.coding
        return Interpretation(self._about, reads, body, settled, coding)

    def _event_stream(self, body: bytes) -> ParsedBody | None:
        """The fold so far with its tail, or None if the lines turn out not to be an event
        stream.
        """
        tail = self._splitter.tail()
        is_open = self._about.outcome is TransportOutcome.OPEN
        if tail is None or is_open:
            settled = self._stream_of(self._assembly)
            if is_open:
                return settled
            return _whole(settled, body) if self._assembly.is_event_stream else None
        # The tail is read too. Later feeds must not find it folded: fold everything once more.
        assembly, splitter = Assembly(), Splitter()
        take_items(assembly, splitter.feed(body))
        ending = take_tail(assembly, tail)
        if ending is Ending.CLEAN and not assembly.is_event_stream:
            return None
        return _whole(self._stream_of(assembly, ending), body)

    def _stream_of(self, assembly: Assembly, ending: Ending = Ending.CLEAN) -> ParsedBody:
        return ParsedBody(
            assembly,
            Framing.EVENT_STREAM,
            ending,
            last_event_id=self._splitter.last_event_id,
            retry_ms=self._splitter.retry_ms,
        )


def _whole(settled: ParsedBody, body: bytes) -> ParsedBody:
    """Choose the reading of a finished stream: if its objects are broken, the body may be a pasted
    text that prints a stream.
    """
    if settled.assembly.chunks and is_sound(settled) and not has_objects_outside(settled):
        return settled
    return better_of(settled, parse_pasted_body(body)) or settled


def analyze(exchange: Exchange) -> Analysis:
    """Read a finished exchange and return its analysis."""
    return read(exchange).analysis()


def read(exchange: Exchange) -> Reading:
    """Return a reading that was fed all reads of the exchange."""
    reading = Reading(exchange)
    for one in exchange.reads:
        reading.feed(one)
    return reading
