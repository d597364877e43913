"""The tape: columns from which timeline, provenance, scrubber, replay and live view are drawn.

From the tape alone: character to event is a bisection in a lane's pieces, event to characters the
reverse, the state at a moment a prefix of each lane (of a snapshot lane, its last piece).
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from inspector.core.exchange import Clock


class EventKind(StrEnum):
    CHUNK = "chunk"
    COMMENT = "comment"
    ERROR = "error"
    END_MARK = "end-mark"
    IGNORED = "ignored"
    TAIL = "tail"


class LaneKind(StrEnum):
    CONTENT = "content"
    REASONING = "reasoning"
    REFUSAL = "refusal"
    TEXT = "text"
    TOOL_CALL = "tool-call"
    FUNCTION_CALL = "function-call"


class LaneMode(StrEnum):
    APPEND = "append"
    SNAPSHOT = "snapshot"


class MarkKind(StrEnum):
    ROLE = "role"
    FINISH = "finish"
    USAGE = "usage"


class Lane(msgspec.Struct, frozen=True):
    """One text that grows. ``tool_call`` is the position in the choice's ``tool_calls``."""

    choice: int
    kind: LaneKind
    tool_call: int | None = None
    mode: LaneMode = LaneMode.APPEND


class ReadColumns(msgspec.Struct, frozen=True):
    """``at_us`` is empty where the clock is none; ``byte_end`` is exclusive."""

    at_us: list[int]
    byte_end: list[int]


class EventColumns(msgspec.Struct, frozen=True):
    """``byte_end`` is exclusive and ends with the byte that completed the event."""

    byte_start: list[int]
    byte_end: list[int]
    kind: list[EventKind]


class MarkColumns(msgspec.Struct, frozen=True):
    """``lane`` is None where a mark belongs to no lane (usage, a choice without text)."""

    event: list[int]
    lane: list[int | None]
    kind: list[MarkKind]


class PieceColumns(msgspec.Struct, frozen=True):
    """The characters that one event gave to one lane, in UTF-16 units (what browsers select in)."""

    event: list[int]
    lane: list[int]
    start_u16: list[int]
    length_u16: list[int]


class Tape(msgspec.Struct, frozen=True):
    clock: Clock
    reads: ReadColumns
    events: EventColumns
    lanes: list[Lane]
    marks: MarkColumns
    pieces: PieceColumns
