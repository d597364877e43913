"""Compares our own readings of one body, delivered in different ways.

Only what cuts the body into events knows where a read ends; it is checked alone at every place,
which costs little. Everything behind it is checked with whole readings, which cost much more, at
fewer places.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import pairwise
from typing import Any, Protocol

import msgspec

from inspector.core.findings import shorten_quoted
from inspector.core.json.pointer import escape_step
from inspector.core.reading import Reading
from inspector.core.splits.cuttings import Cutting, CuttingKind
from inspector.core.wire.event_frames import Frame, FrameSplitter
from inspector.core.wire.exchange import Exchange, Read
from inspector.core.wire.framing import Framing, framed_lines
from inspector.core.wire.sse import Event, Splitter

QUOTED_CHARACTERS = 200

Deliver = Callable[[Exchange, Sequence[bytes]], Reading]
"""Reads a body that is delivered in these parts; of the exchange only what is around the body is
looked at.
"""


class EventSplitter(Protocol):
    """A splitter of bytes into events that keeps unfinished bytes for later."""

    def feed(self, data: bytes, /) -> Sequence[Any]: ...
    def tail(self) -> Any: ...


class SplitDifference(msgspec.Struct, frozen=True, kw_only=True):
    """Two of our own readings of one body that differ because of a cutting."""

    cutting: Cutting
    pointer: str
    """JSON Pointer to the first value that differs, in ``{"analysis": …, "tape": …}``, or
    ``/items`` for the events that were cut out.
    """
    uncut: str
    """The value where nothing is cut, as JSON, shortened."""
    cut: str
    """The value with this cutting."""

    @property
    def sentence(self) -> str:
        return (
            f"Our own reading differs at {self.pointer} where this stream {self.cutting.words}: "
            f"{self.uncut} uncut, {self.cut} cut."
        )


class SplitWindow(msgspec.Struct, frozen=True):
    """A part of a body that begins and ends between events. ``first``: how many events with data
    stand before it; ``items``: everything that was cut out of it.
    """

    byte_start: int
    byte_end: int
    first: int
    items: Sequence[Any] = ()


class CutOutEvents(msgspec.Struct, frozen=True):
    """The events of a body: the data of each, its number in the tape, and the parts of the body
    between which a reader has nothing to remember.
    """

    data: list[bytes]
    numbers: list[int]
    windows: list[SplitWindow]

    @property
    def longest_window(self) -> int:
        return max((each.byte_end - each.byte_start for each in self.windows), default=0)


def splitter_of(framing: Framing) -> EventSplitter | None:
    """A new splitter; None for a framing whose bytes are only collected."""
    if framing is Framing.EVENT_FRAMES:
        return FrameSplitter()
    return Splitter() if framing is Framing.EVENT_STREAM else None


def cut_out(body: bytes, framing: Framing) -> CutOutEvents:
    """The events of a stream as our own splitter finds them in one read."""
    splitter = splitter_of(framing)
    if splitter is None:
        return _lines(body) if framing is Framing.LINES else CutOutEvents([], [], [])
    found, items = CutOutEvents([], [], []), splitter.feed(body)
    start = after = 0
    for number, item in enumerate(items):
        data = _data_of(item, body)
        if data is None:
            continue
        inside = items[after : number + 1]
        found.windows.append(SplitWindow(start, item.byte_end, len(found.data), inside))
        found.data.append(data)
        found.numbers.append(number)
        start, after = item.byte_end, number + 1
    if start < len(body):
        found.windows.append(SplitWindow(start, len(body), len(found.data), items[after:]))
    return found


def _data_of(item: Any, body: bytes) -> bytes | None:
    if isinstance(item, Frame):
        return body[item.byte_start : item.byte_end]
    return item.data if isinstance(item, Event) and item.data else None


def _lines(body: bytes) -> CutOutEvents:
    lines = list(framed_lines(body))
    ends = [0, *(line.byte_end for line in lines[:-1]), len(body)]
    windows = [SplitWindow(start, end, at) for at, (start, end) in enumerate(pairwise(ends))]
    return CutOutEvents([line.text for line in lines], list(range(len(lines))), windows)


def deliver(about: Exchange, parts: Sequence[bytes]) -> Reading:
    reading = Reading(about)
    for part in parts:
        reading.feed(Read(None, part))
    return reading


FoundAtCuts = dict[int, tuple[str, str]]
"""For each cut that made a difference what was cut out without it and with it."""


def check_window(
    splitter: EventSplitter, body: bytes, window: SplitWindow, cuts: Sequence[int]
) -> tuple[EventSplitter, FoundAtCuts]:
    """Feed a part of a body uncut, and cut at each of these bytes, from the state that the splitter
    has before it. Events and state behind it have to be the same, and the events those of the body
    in one read. Return the splitter behind the part, and the differences.
    """
    start, end = window.byte_start, window.byte_end
    uncut = _branched(splitter)
    expected, found = list(window.items), FoundAtCuts()
    items = list(uncut.feed(body[start:end]))
    if items != expected:
        found[start] = (_quoted(expected), _quoted(items))
    state = _state(uncut)
    for at in cuts:
        cut = _branched(splitter)
        items = [*cut.feed(body[start:at]), *cut.feed(body[at:end])]
        if items != expected or _state(cut) != state:
            found[at] = (_quoted(expected), _quoted(items))
    return uncut, found


def _branched(splitter: EventSplitter) -> EventSplitter:
    branch = copy(splitter)
    for name, value in vars(splitter).items():
        if isinstance(value, list):
            setattr(branch, name, list(value))
    return branch


def _state(splitter: EventSplitter) -> dict[str, object]:
    # Bytes that wait for more are kept in pieces, and how many these are says nothing.
    state: dict[str, object] = dict(vars(splitter))
    waiting = state.get("_pending")
    if isinstance(waiting, list):
        state["_pending"] = b"".join(waiting)
    return state


def difference_of(
    expected: Reading, found: Reading, cutting: Cutting, framing: Framing
) -> SplitDifference | None:
    """The first difference of two readings that the cutting does not explain."""
    one, other = (_comparable(each, cutting, framing) for each in (expected, found))
    differs = next(_differences("", one, other), None)
    if differs is None:
        return None
    pointer, before, after = differs
    return SplitDifference(
        cutting=cutting, pointer=pointer, uncut=_quoted(before), cut=_quoted(after)
    )


def _comparable(reading: Reading, cutting: Cutting, framing: Framing) -> Any:
    """Analysis and tape as plain values, without what differs by cutting as it must: the reads; and
    where lines end otherwise, positions in the body, and texts that name them.
    """
    tape = reading.tape()
    bare = msgspec.structs.replace(tape, reads=msgspec.structs.replace(tape.reads, byte_end=[]))
    values = msgspec.to_builtins({"analysis": reading.analysis(), "tape": bare})
    if cutting.kind is not CuttingKind.LINE_ENDS:
        return values
    if framing is Framing.EVENT_STREAM:
        return _without(values, POSITIONS, str)
    # JSON that stands for a text, such as arguments, is kept as it was sent, white space included.
    return _without(values, POSITIONS | TEXT_POSITIONS, _with_line_feeds)


POSITIONS = frozenset(
    {
        "byte_start",
        "byte_end",
        "invalid_bytes",
        "message",
        "verdict_reason",
        "verdict_clauses",
        "result_reason",
        "result_clauses",
        "repair",
    }
)
TEXT_POSITIONS = frozenset({"start_u16", "length_u16", "invalid_at", "invalid_at_byte"})


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without(value: Any, names: frozenset[str], text_of: Callable[[str], str]) -> Any:
    """Leave the answer itself alone: its fields may have any name."""
    if isinstance(value, dict):
        return {
            name: each if name in ("completion", "extras") else _without(each, names, text_of)
            for name, each in value.items()
            if name not in names
        }
    if isinstance(value, list | tuple):
        return [_without(each, names, text_of) for each in value]
    return text_of(value) if isinstance(value, str) else value


def _differences(pointer: str, one: Any, other: Any) -> Iterator[tuple[str, Any, Any]]:
    if one == other and type(one) is type(other):
        return
    if isinstance(one, dict) and isinstance(other, dict):
        for name in (*one, *(name for name in other if name not in one)):
            step = f"{pointer}/{escape_step(str(name))}"
            yield from _differences(step, one.get(name), other.get(name))
    elif (
        isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other)
    ):
        for at, (before, after) in enumerate(zip(one, other, strict=True)):
            yield from _differences(f"{pointer}/{at}", before, after)
    else:
        yield pointer, one, other


def _are_lists(one: Any, other: Any) -> bool:
    return isinstance(one, list | tuple) and isinstance(other, list | tuple)


def _quoted(value: object) -> str:
    return shorten_quoted(msgspec.to_builtins(value), QUOTED_CHARACTERS)
