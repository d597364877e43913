"""Somebody who follows a reading as a page does: appends what comes, begins anew where told so."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec

from inspector.core.reading import Reading
from inspector.core.so_far import START, HeadSoFar, NamedLane, SoFar
from inspector.core.tape import Lane, LaneMode, length_u16
from inspector.core.wire.exchange import Clock, Exchange, Read
from inspector.formatting.lanes import LaneTexts, well_formed

Rows = list[tuple[Any, ...]]


class Follower:
    """Columns and texts as they were put together from what came."""

    def __init__(self) -> None:
        self.position = START
        self.starts = 0
        self.appended_rows = 0
        """Rows that came in all, those that came again included."""
        self._clear()

    def _clear(self) -> None:
        self.clock = Clock.NONE
        self.times: list[int] = []
        self.ends: list[int] = []
        self.events: Rows = []
        self.lanes: list[NamedLane] = []
        self.marks: Rows = []
        self.pieces: Rows = []
        self.texts: dict[int, str] = {}
        self.snapshots: dict[int, list[str]] = {}
        self.head: HeadSoFar | None = None

    def ask(self, reading: Reading) -> SoFar:
        """Append what came since. It always can be sent as JSON."""
        more = reading.so_far(self.position)
        assert msgspec.json.decode(msgspec.json.encode(more))
        if more.starts_over:
            self.starts += 1
            self._clear()
        self.append(more)
        return more

    def append(self, more: SoFar) -> None:
        self.position, self.clock, self.head = more.position, more.clock, more.head
        self.times += more.reads.at_us
        self.ends += more.reads.byte_end
        events, pieces = rows(more.events), rows(more.pieces)
        self.events += events
        self.lanes += more.lanes
        self.marks += rows(more.marks)
        self.pieces += pieces
        self.appended_rows += len(more.reads.byte_end) + len(events) + len(pieces)
        for lane, text in more.texts:
            self._grow(lane, text)

    def _grow(self, lane: int, more: str | list[tuple[int, str]]) -> None:
        is_snapshot = self.lanes[lane].mode is LaneMode.SNAPSHOT
        assert isinstance(more, list) == is_snapshot
        if isinstance(more, str):
            self.texts[lane] = self.texts.get(lane, "") + more
            return
        said = self.snapshots.setdefault(lane, [])
        for shared, rest in more:
            before = said[-1] if said else ""
            kept = before.encode("utf-16-le")[: shared * 2].decode("utf-16-le")
            said.append(kept + rest)


def rows(columns: msgspec.Struct, names: tuple[str, ...] | None = None) -> Rows:
    names = names or columns.__struct_fields__
    return list(zip(*(getattr(columns, name) for name in names), strict=True))


def followed(
    reads: list[Read], about: Exchange | None = None, every: int = 1
) -> tuple[Reading, Follower]:
    """A reading that somebody followed, asking after every n-th read and at the end."""
    reading, follower = Reading(about), Follower()
    for number, read in enumerate(reads, 1):
        reading.feed(read)
        if number % every == 0:
            follower.ask(reading)
    follower.ask(reading)
    return reading, follower


def timed(parts: list[bytes]) -> list[Read]:
    return [Read(1_000 * number, part) for number, part in enumerate(parts, 1)]


def cut_at(body: bytes, places: list[int]) -> list[bytes]:
    bounded = sorted({0, len(body), *(place % (len(body) + 1) for place in places)})
    return [body[start:end] for start, end in pairwise(bounded)] or [b""]


def differences(follower: Follower, reading: Reading) -> list[str]:
    """What a follower has otherwise than the finished reading has it. Its tape may have more rows
    at the end, which only the end could tell.
    """
    tape = reading.tape()
    known = len(follower.events)
    names = ("event", "lane", "start_u16", "length_u16")
    events, pieces = rows(tape.events)[:known], rows(tape.pieces, names)
    seen = follower.events
    if follower.head is not None and follower.head.dialect is None:
        # Where no object shows its format, only the end decides what is an error and what a text.
        seen, events = [row[:2] for row in seen], [row[:2] for row in events]
        pieces = pieces if follower.pieces else []
    columns: list[tuple[str, Any, Any]] = [
        # Reads that may be the beginning of a compressed body wait.
        ("clock", follower.clock, tape.clock if follower.ends else Clock.NONE),
        ("times", follower.times, tape.reads.at_us[: len(follower.times)]),
        ("ends", follower.ends, tape.reads.byte_end[: len(follower.ends)]),
        ("events", seen, events),
        ("lanes", lanes_of(follower.lanes), lanes_of(tape.lanes)[: len(follower.lanes)]),
        ("marks", follower.marks, rows(tape.marks)[: len(follower.marks)]),
        ("pieces", follower.pieces, [row for row in pieces if row[0] < known]),
    ]
    found = [f"{name}: {is_} instead of {due}" for name, is_, due in columns if is_ != due]
    return found + list(_different_texts(follower, reading))


def lanes_of(lanes: list[NamedLane] | list[Lane]) -> Rows:
    return [(lane.choice, lane.kind, lane.tool_call, lane.mode) for lane in lanes]


def _different_texts(follower: Follower, reading: Reading) -> Iterator[str]:
    """Texts that are none of the finished ones, or not as long as their pieces but for a surrogate
    half that waits.
    """
    texts, snapshots = LaneTexts(reading.analysis()), reading.snapshots()
    drawn = [0] * len(follower.lanes)
    for _, number, _, length in follower.pieces:
        drawn[number] += length
    for number, lane in enumerate(follower.lanes):
        if lane.mode is LaneMode.SNAPSHOT:
            said = follower.snapshots[number]
            if said != [well_formed(piece) for piece in snapshots[number]][: len(said)]:
                yield f"snapshots of lane {number}: {said} instead of {snapshots[number]}"
            continue
        said = follower.texts.get(number, "")
        due = texts.text(number, reading.tape().lanes[number])
        if due is not None and not well_formed(due).startswith(said):
            yield f"text of lane {number}: {said!r} instead of {due!r}"
        if drawn[number] - length_u16(said) not in (0, 1):
            yield f"lane {number} has {drawn[number]} units, and not {said!r}"
