"""Data that the page of a running recording has not got yet: new rows of the tape, new characters
of its texts, and a small head.

A page says how many rows it has, with a digest of them. Whatever makes the tape another one (a
format that shows late, a lane that turns out to hold snapshots) makes the digest another one, and
the page begins anew.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import takewhile
from operator import add
from typing import NamedTuple

import msgspec

from inspector.core.fold.lane_texts import SnapshotPiece, snapshot_deltas
from inspector.core.readout import Readout
from inspector.core.tape import (
    EventColumns,
    EventKind,
    LaneKind,
    LaneMode,
    MarkColumns,
    PieceColumns,
    ReadColumns,
    Tape,
)
from inspector.core.wire.exchange import Clock
from inspector.dashboard.capture.recording.growing_head import GrowingHead, growing_head
from inspector.formatting.lanes import LaneTexts

DIGEST_BYTES = 8
"""Tells two states of one page apart; nobody gains by one that is alike."""


class RowCounts(NamedTuple):
    """How many rows of each column of a tape there are."""

    reads: int = 0
    events: int = 0
    lanes: int = 0
    marks: int = 0
    pieces: int = 0


class GrowthCursor(NamedTuple):
    """The state of a page. ``byte_length`` counts the stored bytes, -1 where it has nothing."""

    byte_length: int = -1
    rows: RowCounts = RowCounts()
    digest: str = ""

    def __str__(self) -> str:
        return "-".join(map(str, (self.byte_length, *self.rows, self.digest)))


class GrowingLane(msgspec.Struct, frozen=True, kw_only=True):
    """A lane with the name that it has when it opens."""

    choice: int
    kind: LaneKind
    tool_call: int | None
    mode: LaneMode
    name: str
    href: None = None
    """Its whole text has no address yet."""


class GrowingColumns(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of a tape that count on from those before. Places of pieces are left out."""

    clock: Clock
    reads: ReadColumns
    events: EventColumns
    lanes: list[GrowingLane]
    marks: MarkColumns
    pieces: PieceColumns
    texts: list[tuple[int, str | list[SnapshotPiece]]]
    """Number of a lane with the characters that it gained, or with its new snapshots."""


class PageGrowth(msgspec.Struct, frozen=True, kw_only=True):
    cursor: str
    """For the next question."""
    starts_over: bool
    """Whether the page must drop what it had: everything is in here."""
    columns: GrowingColumns
    head: GrowingHead


def parse_cursor(text: str) -> GrowthCursor:
    """Return that of a page without anything, where the text is no cursor."""
    *numbers, digest = text.split("-")
    if len(numbers) != 1 + len(RowCounts._fields) or not all(map(_is_count, numbers)):
        return GrowthCursor()
    byte_length, *rows = map(int, numbers)
    return GrowthCursor(byte_length, RowCounts(*rows), digest)


def growth_since(cursor: GrowthCursor, found: Readout, byte_length: int) -> PageGrowth:
    """``byte_length`` is that of the stored bytes which were read."""
    growing = _GrowingTape(found)
    starts_over = _digest(growing.columns(RowCounts(), cursor.rows)) != cursor.digest
    start = RowCounts() if starts_over else cursor.rows
    whole = growing.columns(RowCounts(), growing.rows)
    reached = GrowthCursor(byte_length, growing.rows, _digest(whole))
    columns = growing.columns(start, growing.rows)
    return PageGrowth(
        cursor=str(reached),
        starts_over=starts_over,
        columns=columns,
        head=growing_head(found.analysis, growing.tape),
    )


class _GrowingTape:
    """The tape of a response that goes on, of which an event that is cut is no part yet."""

    def __init__(self, found: Readout) -> None:
        is_stream = found.analysis.streamed
        self.tape = found.tape if is_stream else _only_reads(found.tape)
        self._snapshots = found.snapshots
        self._lane_texts = LaneTexts(found.analysis)

    @cached_property
    def rows(self) -> RowCounts:
        tape = self.tape
        is_cut = tape.events.kind[-1:] == [EventKind.TAIL]
        events = len(tape.events.kind) - is_cut
        pieces = bisect_left(tape.pieces.event, events)
        lanes = max(tape.pieces.lane[:pieces], default=-1) + 1
        marks = zip(tape.marks.event, tape.marks.lane, strict=True)
        told = takewhile(lambda mark: mark[0] < events and (mark[1] or 0) < max(lanes, 1), marks)
        reads = len(tape.reads.byte_end)
        return RowCounts(reads, events, lanes, sum(1 for _ in told), pieces)

    def columns(self, start: RowCounts, end: RowCounts) -> GrowingColumns:
        """Return the rows from ``start`` up to ``end``."""
        tape = self.tape
        reads, events, lanes, marks, pieces = map(slice, start, end)
        return GrowingColumns(
            clock=tape.clock,
            reads=ReadColumns(tape.reads.at_us[reads], tape.reads.byte_end[reads]),
            events=EventColumns(
                tape.events.byte_start[events],
                tape.events.byte_end[events],
                tape.events.kind[events],
            ),
            lanes=[self._lane(number) for number in range(len(tape.lanes))[lanes]],
            marks=MarkColumns(
                tape.marks.event[marks], tape.marks.lane[marks], tape.marks.kind[marks]
            ),
            pieces=PieceColumns(
                tape.pieces.event[pieces],
                tape.pieces.lane[pieces],
                tape.pieces.start_u16[pieces],
                tape.pieces.length_u16[pieces],
                [],
            ),
            texts=list(self._texts(start.pieces, end.pieces)),
        )

    def _lane(self, number: int) -> GrowingLane:
        lane = self.tape.lanes[number]
        return GrowingLane(
            choice=lane.choice,
            kind=lane.kind,
            tool_call=lane.tool_call,
            mode=lane.mode,
            name=self._lane_texts.name(number, lane),
        )

    def _texts(self, start: int, end: int) -> Iterable[tuple[int, str | list[SnapshotPiece]]]:
        """Yield the texts that lanes gained by these pieces."""
        pieces = self.tape.pieces
        before, counted = self._ends(start), Counter(pieces.lane[:start])
        for lane, number in Counter(pieces.lane[start:end]).items():
            if self.tape.lanes[lane].mode is LaneMode.SNAPSHOT:
                first = counted[lane]
                yield lane, self._deltas.get(lane, [])[first : first + number]
            elif units := self._units.get(lane):
                yield lane, _between(units, before.get(lane, 0), self._ends(end)[lane])

    def _ends(self, pieces: int) -> Mapping[int, int]:
        """Where the text of each lane ends after so many pieces, in UTF-16 units."""
        columns = self.tape.pieces
        ends = map(add, columns.start_u16[:pieces], columns.length_u16[:pieces])
        return dict(zip(columns.lane, ends, strict=False))

    @cached_property
    def _units(self) -> Mapping[int, bytes]:
        """The texts of lanes in UTF-16."""
        texts = (
            (number, self._lane_texts.text(number, lane))
            for number, lane in enumerate(self.tape.lanes)
        )
        return {
            number: text.encode("utf-16-le", "surrogatepass")
            for number, text in texts
            if text is not None
        }

    @cached_property
    def _deltas(self) -> Mapping[int, list[SnapshotPiece]]:
        return {lane: snapshot_deltas(texts) for lane, texts in self._snapshots.items()}


def _only_reads(tape: Tape) -> Tape:
    """Return the tape of a body that shows no events."""
    return Tape(
        tape.clock,
        tape.reads,
        EventColumns([], [], []),
        [],
        MarkColumns([], [], []),
        PieceColumns([], [], [], [], []),
        [],
    )


def _between(units: bytes, start: int, end: int) -> str:
    text = units[2 * _whole(units, start) : 2 * _whole(units, end)]
    return text.decode("utf-16-le", "replace")


def _whole(units: bytes, at: int) -> int:
    """Return where whole characters end: the first half of a surrogate pair waits for the
    second.
    """
    is_half = units[2 * at - 1 : 2 * at] and 0xD8 <= units[2 * at - 1] <= 0xDB
    return at - 1 if is_half else at


def _digest(columns: GrowingColumns) -> str:
    """Names are no part of it: the first of several texts is numbered once there is a second."""
    lanes = [msgspec.structs.replace(lane, name="") for lane in columns.lanes]
    encoded = msgspec.json.encode(msgspec.structs.replace(columns, lanes=lanes))
    return blake2b(encoded, digest_size=DIGEST_BYTES).hexdigest()


def _is_count(text: str) -> bool:
    # Of any length ``int`` takes its time, and raises from 4,300 digits on.
    return text.isascii() and text.isdigit() and len(text) < 16
