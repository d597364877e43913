"""What can be told of an exchange while it is read, in time proportional to what is new.

The fold grows the columns of the tape anyway; they are cut at a position. What is derived from them
(times, snapshots, the end of each lane) is kept up as rows come. What somebody has becomes void
only where the tape turns out to be another one; then its revision changes.
"""

from __future__ import annotations

from collections.abc import Sequence

from inspector.core import formats
from inspector.core.fold.assembly import Assembly
from inspector.core.progress.growing_tape import GrowingTape, SnapshotNumbers
from inspector.core.progress.open_document import OpenDocument
from inspector.core.progress.reads_so_far import ReadsSoFar
from inspector.core.so_far import START, SoFar, TapePosition
from inspector.core.wire.exchange import Clock, Exchange, Read
from inspector.core.wire.framing import Framing

MAX_TURNS = 16
"""How often lanes that are known may turn out to be snapshots, or to be none. A hostile stream
could turn one of its choices with every chunk.
"""


class Progress:
    """What one exchange is so far. ``reads`` are those of the reading, and grow."""

    def __init__(self, about: Exchange, reads: Sequence[Read], family: str | None) -> None:
        self._chosen = formats.dialects().get(about.dialect or "")
        self._all_reads = reads
        self._reads = ReadsSoFar(reads)
        self._document = OpenDocument(family)
        self._in_document = 0
        """Reads that were fed to the document."""
        self._nothing = Assembly(family)
        """Of a body that shows no events."""
        self._grown = GrowingTape(self._nothing, self._reads, self._chosen)
        self._revision = 0
        self._given = START
        """The last position that was given out of this revision: the furthest."""
        self._clock = Clock.NONE
        self._has_retyped = False
        self._snapshots: SnapshotNumbers = frozenset()
        self._turns = 0

    def since(self, position: TapePosition, framing: Framing | None, assembly: Assembly) -> SoFar:
        """What came since a position. ``framing`` is what the first bytes show, ``assembly`` what
        the events of a stream add up to.
        """
        self._take_new(framing, assembly)
        starts_over = position.revision != self._revision
        start = START if starts_over else position
        grown, tape = self._grown, self._grown.tape
        marks, pieces = tape.marks_since(start.marks), tape.pieces_since(start.pieces)
        self._given = TapePosition(
            revision=self._revision,
            reads=len(self._reads.byte_end),
            events=len(tape.kind),
            lanes=len(tape.lanes),
            marks=start.marks + len(marks.event),
            pieces=len(tape.piece_event),
        )
        return SoFar(
            position=self._given,
            starts_over=starts_over,
            clock=self._reads.clock,
            reads=self._reads.since(start.reads),
            events=tape.events_since(start.events),
            lanes=grown.lanes_since(start.lanes, self._snapshots),
            marks=marks,
            pieces=pieces,
            texts=grown.texts_of(pieces.lane, self._snapshots),
            head=grown.head(),
        )

    def _take_new(self, framing: Framing | None, assembly: Assembly) -> None:
        self._reads.take_new()
        voids = [self._lost_times(), self._turned_to(self._source(framing, assembly))]
        self._grown.take_new()
        voids += [self._retyped(), self._turned_snapshots()]
        if any(voids):
            self._revision += 1
            self._given = START

    def _source(self, framing: Framing | None, assembly: Assembly) -> Assembly:
        """What the events add up to. A text that is no event stream yet has none."""
        if framing is Framing.DOCUMENT:
            new = self._all_reads[self._in_document :]
            self._in_document += len(new)
            self._document.feed(b"".join(read.data for read in new))
            return self._document.assembly or self._nothing
        is_stream = framing is Framing.EVENT_FRAMES or assembly.is_event_stream
        return assembly if framing is not None and is_stream else self._nothing

    # -- what makes void what is known: each returns True if it does ------------------------------

    def _lost_times(self) -> bool:
        """A read came without a time, so that no times are shown."""
        before, self._clock = self._clock, self._reads.clock
        return before is not Clock.NONE and self._clock is Clock.NONE

    def _turned_to(self, source: Assembly) -> bool:
        """The events add up to something else: the body is framed otherwise."""
        if source is self._grown.assembly:
            return False
        self._grown = GrowingTape(source, self._reads, self._chosen)
        self._snapshots, self._has_retyped = frozenset(), False
        return self._given.events > 0

    def _retyped(self) -> bool:
        """An event that is known was an error, as its format shows now."""
        event = self._grown.assembly.retyped_from
        if event is None or self._has_retyped:
            return False
        self._has_retyped = True
        return event < self._given.events

    def _turned_snapshots(self) -> bool:
        """The pieces of a lane that is known are to be taken otherwise."""
        found = self._grown.snapshots()
        turned = any(lane < self._given.lanes for lane in found ^ self._snapshots)
        if turned and self._turns == MAX_TURNS:
            return False
        self._turns += turned
        self._snapshots = found
        return turned
