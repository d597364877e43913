"""What is known of an exchange while it is read: what came since the last time, and a small head.

There are no rules in it and no verdict. What came adds up to the tape and the texts of the finished
reading, up to what only the end can tell.
"""

from __future__ import annotations

import msgspec

from inspector.core.completion import BlockKind, Json
from inspector.core.lane_texts import SnapshotPiece
from inspector.core.tape import (
    EventColumns,
    LaneKind,
    LaneMode,
    MarkColumns,
    NewPieces,
    ReadColumns,
)
from inspector.core.wire.exchange import Clock


class TapePosition(msgspec.Struct, frozen=True):
    """How much of a tape somebody has: the number of rows of each column. ``revision`` tells which
    tape it is; -1 stands for none.
    """

    revision: int = -1
    reads: int = 0
    events: int = 0
    lanes: int = 0
    marks: int = 0
    pieces: int = 0


START = TapePosition()
"""The position of somebody who has nothing yet."""


class NamedLane(msgspec.Struct, frozen=True, kw_only=True):
    """A lane with the name that it had when it opened: that of the called tool, or of its kind."""

    choice: int
    kind: LaneKind
    tool_call: int | None
    mode: LaneMode
    name: str
    href: None = None
    """Its whole text has no address yet."""


class BlockSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """One part of a message that is not finished. ``lane`` is null as long as it has no text.

    ``last_event`` is that of its last piece, or the one that closed it.
    """

    choice: int
    kind: BlockKind
    type: str
    """The format's own name of the part, "" if it has none."""
    name: str | None
    """That of the called tool, null if there is none."""
    lane: int | None
    first_event: int | None
    last_event: int | None
    is_closed: bool


class FinishSoFar(msgspec.Struct, frozen=True):
    choice: int
    reason: Json
    """A text or a number as it was sent; another value as JSON."""
    event: int


class HeadSoFar(msgspec.Struct, frozen=True, kw_only=True):
    """The state of an answer that is not finished. Times in microseconds, null if not known; long
    texts are cut.
    """

    byte_length: int
    """Bytes that came, decompressed."""
    events: int
    chunks: int
    dialect: str | None
    object: str
    model: str | None
    response_id: str | None
    finishes: list[FinishSoFar]
    """Of the first 100 choices that came, those that finished; by their number."""
    open_block: int | None
    """Position in ``blocks`` of the one that grew last, unless it or its choice ended."""
    blocks: list[BlockSoFar]
    """At most 100: of each choice the newest."""
    usage: dict[str, int | None] | None
    """The token counts that were stated, null if there are none."""
    first_byte_us: int | None
    first_reasoning_us: int | None
    first_content_us: int | None
    first_tool_call_us: int | None
    longest_gap_us: int | None
    """The longest time between two arrivals of chunks."""
    error: str | None
    """The error that the provider sent in the stream."""


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """What came since a position, and the head. Rows count on from the position.

    A mark is told once its lane has opened, and of a surrogate pair both halves together.
    """

    position: TapePosition
    """To be given back the next time."""
    starts_over: bool
    """Everything is in here: what was known before, if anything was, no longer holds."""
    clock: Clock
    reads: ReadColumns
    events: EventColumns
    lanes: list[NamedLane]
    marks: MarkColumns
    pieces: NewPieces
    texts: list[tuple[int, str | list[SnapshotPiece]]]
    """Number of a lane with the characters that it gained, or with its new snapshots."""
    head: HeadSoFar
