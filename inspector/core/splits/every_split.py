"""Reads a stored body again at every split, in steps of bounded cost that go on from each other."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

import msgspec

from inspector.core.analysis import ANALYSIS_VERSION
from inspector.core.json.parser import parse_json
from inspector.core.reading import Reading
from inspector.core.splits.cuttings import (
    BYTE_BY_BYTE,
    MAX_PLACES,
    Cutting,
    CuttingKind,
    LineEnd,
    cut_places,
    evenly,
    other_line_ends,
)
from inspector.core.splits.hand_readers import HAND_READERS, HandReader
from inspector.core.splits.own_reading import (
    Deliver,
    EventSplitter,
    FoundAtCuts,
    SplitDifference,
    SplitWindow,
    check_window,
    cut_out,
    deliver,
    difference_of,
    splitter_of,
)
from inspector.core.splits.readers import (
    Break,
    ReaderOutput,
    ReaderSplits,
    ReaderState,
    break_of,
    reader_break,
)
from inspector.core.wire.content_encoding import decompressed
from inspector.core.wire.event_frames import CONTENT_TYPE
from inspector.core.wire.exchange import Exchange
from inspector.core.wire.framing import JSON_WHITESPACE, Framing, Sniffer

MAX_DIFFERENCES = 5
"""Differences of our own readings that are quoted; the others are counted."""
MAX_BYTEWISE_BYTES = 2_000_000
"""Length of the longest body that is read byte by byte."""
WINDOW_BYTES = 2_000_000_000
"""Bytes fed to the splitter in all: of a body of few long events, fewer places are tried."""
WHOLE_BYTES = 20_000_000
"""Bytes of all whole readings; their number follows from the length of the body."""
WHOLE_READINGS = range(8, 500)
"""Least and most whole readings of a body cut in two."""
CODED_READINGS = 50
"""Whole readings of a compressed body that is cut in two as it was sent."""
EDGE_BYTES = 32
"""At both ends of a body, whole readings are made at each of these bytes: there it is decided what
the body is, and whether it was cut off.
"""
STEP_COST = 20_000_000
"""What a step may cost, in bytes that are cut into events: about half a second. A place costs as
much as ``PLACE_COST`` bytes, a whole reading four times its bytes and ``READING_COST``.
"""
PLACE_COST = 2_000
READING_COST = 200_000

LIBRARY_BYTES = 20_000_000
"""Bytes of all deliveries to the reader of a library, which takes much longer than ours."""
LIBRARY_PLACES = range(20, 1_000)
"""Least and most places at which a body is cut for such a reader."""
LIBRARY_BYTEWISE_BYTES = 200_000

LINE_ENDS = {
    Framing.EVENT_STREAM: (LineEnd.LF, LineEnd.CRLF, LineEnd.CR),
    Framing.LINES: (LineEnd.LF, LineEnd.CRLF),
    Framing.ARRAY: (LineEnd.LF, LineEnd.CRLF, LineEnd.CR),
    Framing.DOCUMENT: (LineEnd.LF, LineEnd.CRLF, LineEnd.CR),
}
"""What may end a line without a difference: in an event stream by its standard, between lines of
JSON by theirs, and in JSON as white space. Frames have no lines.
"""

NewSplitter = Callable[[Framing], EventSplitter | None]


class SplitResult(msgspec.Struct, frozen=True, kw_only=True):
    """What reading one body at every split found."""

    analysis_version: int = ANALYSIS_VERSION
    framing: Framing
    is_stream: bool
    """False for a whole body, in which only line ends can differ."""
    byte_length: int
    """Length of the decompressed body."""
    places: int = 0
    """Places at which it was cut; all of them, or a sample of a longer body."""
    is_sample: bool = False
    whole_readings: int = 0
    """Deliveries that were read from beginning to end; at the other places only events were cut out
    again.
    """
    is_read_bytewise: bool = False
    line_ends: tuple[LineEnd, ...] = ()
    """Line ends that were tried besides those that were sent."""
    differing: int = 0
    """Cuttings with which our own reading differs."""
    differences: tuple[SplitDifference, ...] = ()
    """The first of them."""
    readers: tuple[ReaderSplits, ...] = ()

    @property
    def cuttings(self) -> int:
        """Everything that was tried with our own reading."""
        return max(self.places, self.whole_readings)


class SplitPosition(msgspec.Struct, frozen=True, kw_only=True):
    """How far it is: places done, then whole readings done, and what was found so far."""

    result: SplitResult
    places_done: int = 0
    byte: int = 0
    """End of the part of the body that the places so far are in."""
    readings_done: int = 0
    readings: int = 0
    """Whole readings to do."""
    library_cuttings: int = 0
    """Deliveries with which readers of libraries are to be tried."""

    @property
    def is_done(self) -> bool:
        return self.places_done == self.result.places and self.readings_done == self.readings

    @property
    def done(self) -> int:
        return self.places_done + self.readings_done

    @property
    def total(self) -> int:
        return self.result.places + self.readings


def advance(
    exchange: Exchange,
    position: SplitPosition | None = None,
    *,
    read: Deliver = deliver,
    new_splitter: NewSplitter = splitter_of,
) -> SplitPosition:
    """Do one step. ``position``: what the step before returned, None for the first.

    The exchange is one that has ended. ``read`` and ``new_splitter`` are what is checked.
    """
    plan = SplitPlan(exchange, read, new_splitter)
    if position is None:
        return plan.begun()
    if position.places_done < position.result.places:
        return plan.at_places(position)
    return position if position.is_done else plan.whole(position)


def check(exchange: Exchange, *, read: Deliver = deliver) -> SplitResult:
    """Delivers the body at every split, all steps in one call."""
    position = advance(exchange, read=read)
    while not position.is_done:
        position = advance(exchange, position, read=read)
    return position.result


class SplitPlan:
    """Everything that follows from the body alone, made again for each step."""

    def __init__(
        self, exchange: Exchange, read: Deliver = deliver, new_splitter: NewSplitter = splitter_of
    ) -> None:
        self._coded = exchange.body
        self._about = msgspec.structs.replace(exchange, reads=())
        self.body = decompressed(exchange).body
        self._read, self._new_splitter = read, new_splitter
        self._uncut = read(self._about, [self.body])
        analysis = self._uncut.analysis()
        self.dialect, self.is_stream = analysis.dialect, analysis.streamed
        self.framing = framing_of(self.body, self._about.content_type, is_stream=self.is_stream)
        self.events = cut_out(self.body, self.framing)
        most = min(MAX_PLACES, WINDOW_BYTES // max(1, self.events.longest_window))
        self.places = cut_places(self.body, most) if self.is_stream else ()
        self.line_ends = self._line_ends()

    def _line_ends(self) -> tuple[LineEnd, ...]:
        allowed = LINE_ENDS.get(self.framing, ())
        # In JSON that is broken, a line end may stand inside a text.
        if self.framing is Framing.DOCUMENT and parse_json(self.body).faults:
            allowed = ()
        return other_line_ends(self.body, allowed)

    def whole_cuttings(self) -> list[Cutting]:
        """Returns the cuttings that are read from beginning to end."""
        with_ends = [Cutting.with_line_ends(each) for each in self.line_ends]
        if not self.is_stream:
            return with_ends
        bytewise = [BYTE_BY_BYTE] if len(self.body) <= MAX_BYTEWISE_BYTES else []
        at_bytes = [Cutting.at(byte) for byte in self._whole_places()]
        return [*bytewise, *with_ends, *self._coded_cuttings(), *at_bytes]

    def _whole_places(self) -> Sequence[int]:
        most = WHOLE_BYTES // max(1, len(self.body))
        most = max(WHOLE_READINGS.start, min(WHOLE_READINGS.stop, most))
        if len(self.places) <= most:
            return self.places
        edges = [*self.places[:EDGE_BYTES], *self.places[-EDGE_BYTES:]]
        edges = edges if len(edges) * 2 <= most else []
        inner = [at for at in evenly(self.places, most - len(edges)) if at not in edges]
        return sorted({*edges, *inner})

    def _coded_cuttings(self) -> list[Cutting]:
        if self._coded == self.body:
            return []
        places = evenly(range(1, len(self._coded)), CODED_READINGS)
        return [msgspec.structs.replace(Cutting.at(byte), is_coded=True) for byte in places]

    def begun(self) -> SplitPosition:
        """The position before the first place: what hand-written readers do uncut, byte by byte,
        and with other line ends.
        """
        result = SplitResult(
            framing=self.framing,
            is_stream=self.is_stream,
            byte_length=len(self.body),
            places=len(self.places) if self.events.windows else 0,
            is_sample=bool(self.places) and len(self.places) < len(self.body) - 1,
            readers=tuple(self._begun_reader(each) for each in self.hand_readers()),
        )
        return SplitPosition(
            result=result,
            readings=len(self.whole_cuttings()),
            library_cuttings=len(self.library_cuttings()),
        )

    def hand_readers(self) -> list[HandReader]:
        fitting = [each for each in HAND_READERS if each.framing is self.framing]
        return fitting if self.is_stream and self.events.data else []

    def _begun_reader(self, reader: HandReader) -> ReaderSplits:
        due = ReaderOutput(self.events.data)
        uncut = reader.read([self.body])
        begun = ReaderSplits(slug=reader.slug, name=reader.name, events=len(uncut.values))
        if break_of(due, uncut) is not None:
            return msgspec.structs.replace(
                begun,
                state=ReaderState.BREAKS_UNCUT,
                sentence=breaks_uncut(reader.name, len(uncut.values), len(due.values)),
            )
        for cutting in self.other_deliveries():
            differs = break_of(due, reader.read(cutting.parts(self.body)))
            begun = self.with_break(begun.counted(1, int(differs is not None)), cutting, differs)
        return begun

    def other_deliveries(self) -> list[Cutting]:
        """Returns all deliveries except those that are cut at one byte."""
        with_ends = [Cutting.with_line_ends(each) for each in self.line_ends]
        return [BYTE_BY_BYTE, *with_ends] if len(self.body) <= MAX_BYTEWISE_BYTES else with_ends

    def library_cuttings(self) -> list[Cutting]:
        """Returns the cuttings that a client library is tried with."""
        if not self.is_stream or not self.events.data:
            return []
        most = LIBRARY_BYTES // max(1, len(self.body))
        most = max(LIBRARY_PLACES.start, min(LIBRARY_PLACES.stop, most))
        at_bytes = [Cutting.at(byte) for byte in cut_places(self.body, most)]
        is_short = len(self.body) <= LIBRARY_BYTEWISE_BYTES
        others = [each for each in self.other_deliveries() if is_short or each != BYTE_BY_BYTE]
        return [*others, *at_bytes]

    def with_break(
        self, so_far: ReaderSplits, cutting: Cutting, found: Break | None, first: int = 0
    ) -> ReaderSplits:
        """Keep a break as an example. ``first``: how many events stand before what was read."""
        is_at_byte = cutting.kind is CuttingKind.AT_BYTE
        if found is None or (is_at_byte and so_far.is_full):
            return so_far
        numbers = self.events.numbers
        return so_far.with_example(reader_break(so_far.name, cutting, found, numbers, first))

    # -- at every place ---------------------------------------------------------------------------

    def at_places(self, position: SplitPosition) -> SplitPosition:
        """Cut at the next places, one event at a time."""
        result, done, cost = position.result, position.places_done, 0
        splitter = self._new_splitter(self.framing)
        for window in self.events.windows:
            cuts = self.places[done : bisect_left(self.places, window.byte_end, lo=done)]
            found: FoundAtCuts = {}
            if splitter is not None:
                splitter, found = check_window(splitter, self.body, window, cuts)
            # What parts of earlier steps show is known.
            if window.byte_end <= position.byte:
                continue
            result = self._noted(result, window, cuts, found)
            done += len(cuts)
            cost += len(cuts) * (window.byte_end - window.byte_start + PLACE_COST)
            if cost > STEP_COST:
                break
        return msgspec.structs.replace(
            position, result=result, places_done=done, byte=window.byte_end
        )

    def _noted(
        self,
        result: SplitResult,
        window: SplitWindow,
        cuts: Sequence[int],
        found: FoundAtCuts,
    ) -> SplitResult:
        for at, (uncut, cut) in found.items():
            result = _with_difference(
                result,
                SplitDifference(cutting=Cutting.at(at), pointer="/items", uncut=uncut, cut=cut),
            )
        readers = list(result.readers)
        for number, reader in enumerate(self.hand_readers()):
            if readers[number].state is ReaderState.TRIED:
                readers[number] = self._tried(readers[number], reader, window, cuts)
        return msgspec.structs.replace(result, readers=tuple(readers))

    def _tried(
        self, so_far: ReaderSplits, reader: HandReader, window: SplitWindow, cuts: Sequence[int]
    ) -> ReaderSplits:
        start, end = window.byte_start, window.byte_end
        due, broken = reader.read([self.body[start:end]]), 0
        for at in cuts:
            parts = [part for part in (self.body[start:at], self.body[at:end]) if part]
            differs = break_of(due, reader.read(parts))
            broken += differs is not None
            so_far = self.with_break(so_far, Cutting.at(at), differs, window.first)
        return so_far.counted(len(cuts), broken)

    # -- whole readings ---------------------------------------------------------------------------

    def whole(self, position: SplitPosition) -> SplitPosition:
        """Read the next deliveries from beginning to end."""
        result, done, cost = position.result, position.readings_done, 0
        for cutting in self.whole_cuttings()[done:]:
            found = self._read(self._about, cutting.parts(self._body_of(cutting)))
            result = _with_difference(result, self._difference(cutting, found))
            result = _counted(result, cutting)
            done += 1
            cost += 4 * len(self.body) + READING_COST
            if cost > STEP_COST:
                break
        return msgspec.structs.replace(position, result=result, readings_done=done)

    def _body_of(self, cutting: Cutting) -> bytes:
        return self._coded if cutting.is_coded else self.body

    def _difference(self, cutting: Cutting, found: Reading) -> SplitDifference | None:
        return difference_of(self._due(cutting), found, cutting, self.framing)

    def _due(self, cutting: Cutting) -> Reading:
        return self._read(self._about, [self._coded]) if cutting.is_coded else self._uncut


def framing_of(body: bytes, content_type: str | None, *, is_stream: bool) -> Framing:
    """How the bytes of a body are cut into objects."""
    declared = (content_type or "").partition(";")[0].strip().lower()
    framing = Sniffer(declares_frames=declared == CONTENT_TYPE).feed(body)
    if framing in (Framing.EVENT_STREAM, Framing.EVENT_FRAMES) or not is_stream:
        return framing or Framing.EMPTY
    is_list = body.lstrip(JSON_WHITESPACE).startswith(b"[")
    return Framing.ARRAY if is_list else Framing.LINES


def breaks_uncut(name: str, events: int, due: int) -> str:
    return (
        f"{name[:1].upper()}{name[1:]} gives {events:,} of {due:,} events"
        " even where nothing is cut."
    )


def _with_difference(result: SplitResult, found: SplitDifference | None) -> SplitResult:
    if found is None:
        return result
    kept = (*result.differences, found)[:MAX_DIFFERENCES]
    return msgspec.structs.replace(result, differing=result.differing + 1, differences=kept)


def _counted(result: SplitResult, cutting: Cutting) -> SplitResult:
    ends = (*result.line_ends, cutting.line_end) if cutting.line_end else result.line_ends
    return msgspec.structs.replace(
        result,
        whole_readings=result.whole_readings + 1,
        is_read_bytewise=result.is_read_bytewise or cutting == BYTE_BY_BYTE,
        line_ends=ends,
    )
