"""Readers of streams, and how the events of two deliveries of one body differ."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec

from inspector.core.splits.cuttings import Cutting, CuttingKind

EXAMPLES_OF_A_KIND = 3
"""Cuts at one byte that are told of a reader; the others are counted."""


class ReaderOutput(msgspec.Struct, frozen=True):
    """The values that a reader gave, one for each event, and the type of the exception that ended
    it, None if none did.
    """

    values: Sequence[Any]
    fault: str | None = None


class BreakKind(StrEnum):
    """How a reader fails because of a cutting."""

    LOSES = "loses"
    ALTERS = "alters"
    ADDS = "adds"
    FAILS = "fails"


class Break(msgspec.Struct, frozen=True):
    """The first event at which two outputs differ. ``position``: its position among the values;
    ``count``: how many are lost from there on.
    """

    kind: BreakKind
    position: int
    count: int = 1
    fault: str | None = None


class ReaderState(StrEnum):
    """Whether a reader was tried."""

    TRIED = "tried"
    NOT_INSTALLED = "not-installed"
    """Its library is not installed where the captures are read."""
    OTHER_FRAMING = "other-framing"
    """It reads no stream of this framing or format."""
    BREAKS_UNCUT = "breaks-uncut"
    """It gives other events than were sent even where nothing is cut."""
    ENDED = "ended"
    """Trying it took too long, or too much memory."""


class ReaderBreak(msgspec.Struct, frozen=True, kw_only=True):
    """A cutting that breaks a reader, and how."""

    cutting: Cutting
    kind: BreakKind
    event: int | None = None
    """Number of the first event concerned; null if it is none of the stream's."""
    count: int = 1
    """Events that are lost, altered or added."""
    fault: str | None = None
    """Type of the exception that the reader raised."""
    sentence: str


class ReaderSplits(msgspec.Struct, frozen=True, kw_only=True):
    """Which cuttings of a stream break one reader."""

    slug: str
    name: str
    version: str | None = None
    """Version of the library; null for a reader that people write by hand."""
    state: ReaderState = ReaderState.TRIED
    sentence: str | None = None
    """Why it was not tried, or what it does uncut."""
    events: int | None = None
    """Events that it gives where nothing is cut; null if it was not tried."""
    tried: int = 0
    """Cuttings that were tried."""
    broken: int = 0
    """Those that break it."""
    examples: tuple[ReaderBreak, ...] = ()
    """The first of them, each at another event."""

    def counted(self, tried: int, broken: int) -> ReaderSplits:
        """Returns the counts with these cuttings added."""
        return msgspec.structs.replace(self, tried=self.tried + tried, broken=self.broken + broken)

    def with_example(self, found: ReaderBreak) -> ReaderSplits:
        """Adds an example if it tells more than those that are kept."""
        if found.cutting.kind is CuttingKind.AT_BYTE and not self._is_new(found):
            return self
        return msgspec.structs.replace(self, examples=(*self.examples, found))

    @property
    def is_full(self) -> bool:
        """True if no more cuts at one byte are kept."""
        return len(self._at_bytes) >= EXAMPLES_OF_A_KIND

    @property
    def _at_bytes(self) -> list[ReaderBreak]:
        return [each for each in self.examples if each.cutting.kind is CuttingKind.AT_BYTE]

    def _is_new(self, found: ReaderBreak) -> bool:
        # Of the many cuts inside one event the first is enough.
        alike = ((each.kind, each.event) == (found.kind, found.event) for each in self._at_bytes)
        return not self.is_full and not any(alike)


def break_of(expected: ReaderOutput, found: ReaderOutput) -> Break | None:
    """The first difference; None if there is none."""
    due, got = expected.values, found.values
    if len(due) == len(got) and found.fault == expected.fault and due == got:
        return None
    at = _common_start(due, got)
    if found.fault is not None and found.fault != expected.fault and at == len(got):
        return Break(BreakKind.FAILS, at, len(due) - at, found.fault)
    if at == len(due):
        return Break(BreakKind.ADDS, at, max(1, len(got) - at))
    if len(got) < len(due):
        return Break(BreakKind.LOSES, at, len(due) - len(got))
    return Break(BreakKind.ALTERS if len(got) == len(due) else BreakKind.ADDS, at)


def _common_start(one: Sequence[Any], other: Sequence[Any]) -> int:
    least = min(len(one), len(other))
    return next((at for at in range(least) if one[at] != other[at]), least)


def reader_break(
    name: str, cutting: Cutting, found: Break, numbers: Sequence[int], first: int = 0
) -> ReaderBreak:
    """``numbers``: those of the events that the reader gives, from 0; ``first``: how many of them
    stand before the part of the stream that was compared.
    """
    position = first + found.position
    event = numbers[position] if position < len(numbers) else None
    return ReaderBreak(
        cutting=cutting,
        kind=found.kind,
        event=event,
        count=found.count,
        fault=found.fault,
        sentence=f"{_begin(name)} {_what(found, event)} where this stream {cutting.words}.",
    )


def _begin(name: str) -> str:
    return name[:1].upper() + name[1:]


def _what(found: Break, event: int | None) -> str:
    place = "after the last event" if event is None else f"at event {event:,}"
    if found.kind is BreakKind.FAILS:
        return f"fails with {found.fault} {place}"
    if found.kind is BreakKind.ADDS:
        return f"gives an event that was not sent {place}"
    if event is None:
        return "reads the end otherwise"
    if found.kind is BreakKind.ALTERS:
        return f"reads event {event:,} otherwise"
    if found.count > 1:
        return f"loses {found.count:,} events from event {event:,} on"
    return f"loses event {event:,}"
