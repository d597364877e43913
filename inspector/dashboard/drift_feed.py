"""What changed, as sentences: a list, and flags at its moments in every drawing of a period."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from string import ascii_uppercase
from uuid import UUID

from inspector.dashboard.drift_words import Part, captures_word, sentence
from inspector.dashboard.strip import day, percent
from inspector.usage import presence, shifts
from inspector.usage.marked import Marked
from inspector.usage.periods import Period

MOST_MARKS = 400
MOST_ENTRIES = 30
MOST_CAPTURES = 3
ENTRIES_BESIDE = 5
NOTHING = (
    "No significant change in this period. Checked: fingerprint, service tier,"
    " the model that answers a name, keys and usage fields of complete answers, finish reasons, and"
    " first-token times. New and missing values need"
    f" {presence.LEAST_BEFORE} captures in the 7 days before and {presence.LEAST_WITH} since,"
    f" finish reasons and times {shifts.LEAST_BEFORE} and {shifts.LEAST_SINCE}."
)
NARROW_PX = 220
"""A drawing is at least so wide: flags that would overlap in it stand in rows of their own."""
MOST_ROWS = 3
"""What would need one more shares the flag before it."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Changes of one subject of one model that began in the same hour."""

    letter: str
    parts: tuple[Part, ...]
    vendor: str
    at: datetime
    tests: tuple[str, ...]
    captures_word: str
    captures: tuple[UUID, ...]
    start: datetime

    @property
    def id(self) -> str:
        return f"drift-{self.letter}"

    @property
    def when(self) -> str:
        return f"{day(self.at)}, {self.at:%H:%M}"

    @property
    def words(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class Flag:
    """Of all entries of one slot, or of several where flags are crowded. ``x`` is the moment of the
    first, ``lines`` are the moments of all slots that it stands for.
    """

    x: str
    lines: tuple[str, ...]
    row: int
    text: str
    href: str
    words: str

    @property
    def width(self) -> int:
        return 7 * len(self.text) + 9

    @property
    def left(self) -> float:
        return -self.width / 2

    @property
    def y(self) -> int:
        """Above the drawing."""
        return -20 - 18 * self.row


@dataclass(frozen=True, slots=True)
class Feed:
    entries: tuple[Entry, ...]
    flags: tuple[Flag, ...]
    is_all: bool
    nothing: str = NOTHING

    @property
    def is_long(self) -> bool:
        """Longer than the drawing beside it."""
        return len(self.entries) > ENTRIES_BESIDE

    @property
    def rows(self) -> int:
        return max((flag.row + 1 for flag in self.flags), default=0)


def feed(marks: Sequence[Marked], period: Period) -> Feed:
    """Newest first, as the marks are; the newest has the first letter."""
    groups = [list(group) for _, group in groupby(sorted(marks, key=_order), key=_order)]
    letters = [
        *ascii_uppercase,
        *(str(n) for n in range(len(ascii_uppercase) + 1, MOST_ENTRIES + 1)),
    ]
    pairs = zip(letters, groups, strict=False)
    entries = tuple(_entry(letter, group) for letter, group in pairs)
    is_all = len(groups) <= MOST_ENTRIES and len(marks) < MOST_MARKS
    return Feed(entries, tuple(_flags(entries, period)), is_all)


def _order(mark: Marked) -> tuple[float, str, str, str, str]:
    place = (mark.vendor or "", mark.model or "")
    return (-mark.start.timestamp(), *place, mark.subject, mark.direction)


def _entry(letter: str, marks: Sequence[Marked]) -> Entry:
    first = marks[0]
    captures = dict.fromkeys(id for mark in marks for id in mark.captures)
    return Entry(
        letter=letter,
        parts=tuple(sentence(marks)),
        vendor=first.vendor or "",
        at=min(mark.at for mark in marks),
        tests=tuple(_tests(marks)),
        captures_word=captures_word(first),
        captures=tuple(captures)[:MOST_CAPTURES],
        start=first.start,
    )


def _tests(marks: Iterable[Marked]) -> Iterator[str]:
    """One of streamed and one of whole answers: that of the largest number since."""
    by_kind = {None: "", True: "streamed answers: ", False: "whole answers: "}
    for kind, label in by_kind.items():
        alike = [mark for mark in marks if mark.streamed is kind]
        if alike:
            yield label + max(alike, key=lambda mark: max(mark.before.value, mark.since.value)).test


def _flags(entries: Sequence[Entry], period: Period) -> Iterator[Flag]:
    """In the order of time."""
    slots = groupby(reversed(entries), key=lambda each: _slot(each, period))
    crowds: list[list[Slot]] = [[list(slot)[::-1]] for _, slot in slots]
    while (at := _crowded(rows := _rows(crowds, period))) is not None:
        crowds[at - 1 : at + 1] = [[*crowds[at - 1], *crowds[at]]]
    for crowd, row in zip(crowds, rows, strict=True):
        yield replace(_flag(crowd, period), row=row)


Slot = list[Entry]
"""What began in one slot, newest first."""


def _flag(crowd: Sequence[Slot], period: Period) -> Flag:
    entries = [entry for slot in reversed(crowd) for entry in slot]
    lines = tuple(percent(_place(slot, period)) for slot in crowd)
    return Flag(lines[0], lines, 0, _letters(entries), f"#{entries[0].id}", _said(entries))


def _place(slot: Slot, period: Period) -> float:
    """Percent of the width: where time was when the first of a slot came."""
    since = (min(entry.at for entry in slot) - period.start) / (period.end - period.start)
    return 100 * min(max(since, 0), 1)


def _slot(entry: Entry, period: Period) -> int:
    return int((entry.start - period.start).total_seconds()) // period.slot_seconds


def _crowded(rows: Sequence[int]) -> int | None:
    return rows.index(MOST_ROWS) if MOST_ROWS in rows else None


def _rows(crowds: Sequence[Sequence[Slot]], period: Period) -> list[int]:
    """Of each flag the lowest row with room; ``MOST_ROWS`` where there is none."""
    rows, ends = [], [0.0 - NARROW_PX] * MOST_ROWS
    for crowd in crowds:
        half = 100 * _flag(crowd, period).width / 2 / NARROW_PX
        x = _place(crowd[0], period)
        row = next((row for row, end in enumerate(ends) if end <= x - half), MOST_ROWS)
        if row < MOST_ROWS:
            ends[row] = x + half
        rows.append(row)
    return rows


def _letters(entries: Sequence[Entry]) -> str:
    first, last = entries[0].letter, entries[-1].letter
    return first if first == last else f"{first}–{last}"


def _said(entries: Iterable[Entry]) -> str:
    return " ".join(f"{each.letter}: {each.words}" for each in entries)
