"""Reads an exchange: feed it reads, then ask for the analysis and the tape."""

from __future__ import annotations

from inspector.core import formats
from inspector.core.analysis import Analysis
from inspector.core.computed_once import computed_once
from inspector.core.fold.assembly import Assembly
from inspector.core.interpretation import Interpretation
from inspector.core.parse_body import (
    better_of,
    has_objects_outside,
    is_sound,
    parse_document,
    parse_misframed,
    take_frame_tail,
    take_frames,
    take_items,
    take_tail,
)
from inspector.core.parsed_body import ParsedBody
from inspector.core.pasted.parse_pasted import parse_pasted_body
from inspector.core.tape import Snapshots, Tape
from inspector.core.wire.content_encoding import Decompressor
from inspector.core.wire.event_frames import CONTENT_TYPE, FrameSplitter
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
        declared = (self._about.content_type or "").partition(";")[0].strip().lower()
        self._sniffer = Sniffer(declares_frames=declared == CONTENT_TYPE)
        self._framing: Framing | None = None
        """Framing that the first bytes show; None while they show nothing."""
        self._splitter = Splitter()
        self._frames = FrameSplitter()
        chosen = formats.dialects().get(self._about.dialect or "")
        self._family = formats.family_of(chosen) if chosen else None
        """The formats by whose table objects are read, if a person chose one."""
        self._result: Interpretation | None = None

    @computed_once
    def _assembly(self) -> Assembly:
        # Made for streams alone: a document is folded when it is whole.
        return Assembly(self._family)

    def feed(self, read: Read) -> None:
        self._result = None
        for one in self._uncoder.feed(read):
            self._take(one)

    def _take(self, read: Read) -> None:
        self._reads.append(read)
        if self._framing is Framing.DOCUMENT:
            return
        data = read.data
        if self._framing is None:
            self._framing = self._sniffer.feed(data)
            if self._framing is None or self._framing is Framing.DOCUMENT:
                return
            data = b"".join(read.data for read in self._reads)
        if self._framing is Framing.EVENT_FRAMES:
            take_frames(self._assembly, self._frames.feed(data))
        else:
            take_items(self._assembly, self._splitter.feed(data))

    def analysis(self) -> Analysis:
        return self._finished().analysis

    def tape(self) -> Tape:
        return self._finished().tape

    def snapshots(self) -> Snapshots:
        return self._finished().snapshots

    def _finished(self) -> Interpretation:
        if self._result is None:
            self._result = (self._ended() if self._uncoder.held_back else self)._finish()
        return self._result

    def _ended(self) -> Reading:
        """Return a reading of what is held back, as if the body ended there. Later feeds must not
        find it decided whether the body is compressed.
        """
        ended = Reading(self._about)
        for one in self._uncoder.held_back:
            ended.feed(one)
        for one in ended._uncoder.end():
            ended._take(one)
        return ended

    def _finish(self) -> Interpretation:
        body = b"".join(read.data for read in self._reads)
        is_open = self._about.outcome is TransportOutcome.OPEN
        settled = self._stream(body) or parse_document(body, is_open=is_open, family=self._family)
        coding = self._uncoder.coding
        return Interpretation(self._about, list(self._reads), body, settled, coding)

    def _stream(self, body: bytes) -> ParsedBody | None:
        if self._framing is Framing.EVENT_FRAMES:
            return self._event_frames(body)
        return self._event_stream(body) if self._framing is Framing.EVENT_STREAM else None

    def _event_frames(self, body: bytes) -> ParsedBody:
        tail = self._frames.tail()
        if tail is None or self._about.outcome is TransportOutcome.OPEN:
            is_waiting = self._assembly.is_undecided
            assembly = self._framed_again(body) if is_waiting else self._assembly
            return ParsedBody(assembly, Framing.EVENT_FRAMES)
        assembly = self._framed_again(body)
        take_frame_tail(assembly, tail)
        return ParsedBody(assembly, Framing.EVENT_FRAMES, Ending.CUT)

    def _event_stream(self, body: bytes) -> ParsedBody | None:
        """Return the fold so far with its tail; None if the lines are no event stream after all."""
        tail = self._splitter.tail()
        is_open = self._about.outcome is TransportOutcome.OPEN
        if tail is None or is_open:
            is_waiting = self._assembly.is_undecided
            settled = self._stream_of(self._split_again(body) if is_waiting else self._assembly)
            if is_open:
                return settled
            is_stream = self._assembly.is_event_stream
            return _whole(settled, body) if is_stream else parse_misframed(body)
        assembly = self._split_again(body)
        ending = take_tail(assembly, tail, body[tail.byte_start : tail.byte_end])
        if ending is Ending.CLEAN and not assembly.is_event_stream:
            return parse_misframed(body)
        return _whole(self._stream_of(assembly, ending), body)

    # Later feeds must find neither a tail folded nor objects settled that wait for one that shows
    # their format: both are read in a fold of their own.

    def _framed_again(self, body: bytes) -> Assembly:
        assembly = Assembly(self._family)
        take_frames(assembly, FrameSplitter().feed(body))
        return assembly

    def _split_again(self, body: bytes) -> Assembly:
        assembly = Assembly(self._family)
        take_items(assembly, Splitter().feed(body))
        return assembly

    def _stream_of(self, assembly: Assembly, ending: Ending = Ending.CLEAN) -> ParsedBody:
        return ParsedBody(
            assembly,
            Framing.EVENT_STREAM,
            ending,
            last_event_id=self._splitter.last_event_id,
            retry_ms=self._splitter.retry_ms,
        )


def _whole(settled: ParsedBody, body: bytes) -> ParsedBody:
    """Choose how a finished stream is read: broken objects may be a pasted text that prints one."""
    if settled.assembly.chunks and is_sound(settled) and not has_objects_outside(settled):
        return settled
    if (meant := parse_misframed(body)) and meant.assembly.chunks > settled.assembly.chunks:
        return meant
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
