"""Drift events as a list of sentences, and as flags on the time axis of every chart."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby
from string import ascii_uppercase
from uuid import UUID

from inspector.dashboard.usage.drift_sentences import (
    SentencePart,
    captures_heading,
    drift_sentence,
    drift_test_words,
)
from inspector.formatting.humanize import css_percent, day_words
from inspector.usage.drift.event_list import DriftEventRow
from inspector.usage.rollup.periods import Period

MAX_EVENTS = 400
"""One change shows in many fields: events are grouped before they are counted."""
MAX_ENTRIES = 30
"""Each has a flag on the charts: a letter, and from the 27th on a number."""
MAX_CAPTURES = 3
"""Examples; the list of that hour has the others."""
ENTRIES_BESIDE = 5
NARROW_PX = 220
"""Minimum chart width: flags that would overlap at this width go to different rows."""
MAX_FLAG_ROWS = 3
"""A flag that needs a further row is merged into the previous flag."""


@dataclass(frozen=True, slots=True)
class DriftEntry:
    """Events about one subject of one model that began in the same hour."""

    letter: str
    parts: tuple[SentencePart, ...]
    vendor: str
    at: datetime
    tests: tuple[str, ...]
    captures_heading: str
    captures: tuple[UUID, ...]
    start: datetime

    @property
    def id(self) -> str:
        return f"drift-{self.letter}"

    @property
    def when(self) -> str:
        return f"{day_words(self.at)}, {self.at:%H:%M}"

    @property
    def words(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class DriftFlag:
    """A flag for the entries of one slot, or of several where flags are crowded.

    ``x`` is the time of the first, ``lines`` the times of all its slots.
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
        """Negative, because flags are above the chart."""
        return -20 - 18 * self.row


@dataclass(frozen=True, slots=True)
class DriftFeed:
    entries: tuple[DriftEntry, ...]
    flags: tuple[DriftFlag, ...]
    is_all: bool

    @property
    def is_long(self) -> bool:
        """True if the list is longer than the chart beside it."""
        return len(self.entries) > ENTRIES_BESIDE

    @property
    def rows(self) -> int:
        return max((flag.row + 1 for flag in self.flags), default=0)


def build_drift_feed(events: Sequence[DriftEventRow], period: Period) -> DriftFeed:
    """Build the feed, newest first; the newest entry has the letter A."""
    groups = [list(group) for _, group in groupby(sorted(events, key=_order), key=_order)]
    letters = [
        *ascii_uppercase,
        *(str(n) for n in range(len(ascii_uppercase) + 1, MAX_ENTRIES + 1)),
    ]
    pairs = zip(letters, groups, strict=False)
    entries = tuple(_entry(letter, group) for letter, group in pairs)
    is_all = len(groups) <= MAX_ENTRIES and len(events) < MAX_EVENTS
    return DriftFeed(entries, tuple(_flags(entries, period)), is_all)


def _order(event: DriftEventRow) -> tuple[float, str, str, str, str]:
    place = (event.vendor or "", event.model or "")
    return (-event.start.timestamp(), *place, event.subject, event.direction)


def _entry(letter: str, events: Sequence[DriftEventRow]) -> DriftEntry:
    first = events[0]
    captures = dict.fromkeys(capture_id for event in events for capture_id in event.captures)
    return DriftEntry(
        letter=letter,
        parts=tuple(drift_sentence(events)),
        vendor=first.vendor or "",
        at=min(event.at for event in events),
        tests=tuple(_tests(events)),
        captures_heading=captures_heading(first),
        captures=tuple(captures)[:MAX_CAPTURES],
        start=first.start,
    )


def _tests(events: Iterable[DriftEventRow]) -> Iterator[str]:
    """Yield one test for streamed and one for whole responses, each with the most captures."""
    labels = {None: "", True: "streamed answers: ", False: "whole answers: "}
    for streamed, label in labels.items():
        some = [event for event in events if event.streamed is streamed]
        if some:
            most = max(some, key=lambda event: max(event.test.before.value, event.test.since.value))
            yield label + drift_test_words(most)


def _flags(entries: Sequence[DriftEntry], period: Period) -> Iterator[DriftFlag]:
    """Yield the flags in order of time."""
    slots = groupby(reversed(entries), key=lambda each: _slot(each, period))
    crowds: list[list[SlotEntries]] = [[list(slot)[::-1]] for _, slot in slots]
    while (at := _crowded(rows := _flag_rows(crowds, period))) is not None:
        crowds[at - 1 : at + 1] = [[*crowds[at - 1], *crowds[at]]]
    for crowd, row in zip(crowds, rows, strict=True):
        yield replace(_flag(crowd, period), row=row)


SlotEntries = list[DriftEntry]
"""Entries that began in one slot, newest first."""


def _flag(crowd: Sequence[SlotEntries], period: Period) -> DriftFlag:
    entries = [entry for slot in reversed(crowd) for entry in slot]
    lines = tuple(css_percent(_x_percent(slot, period)) for slot in crowd)
    words = " ".join(f"{each.letter}: {each.words}" for each in entries)
    return DriftFlag(lines[0], lines, 0, _letters(entries), f"#{entries[0].id}", words)


def _x_percent(slot: SlotEntries, period: Period) -> float:
    """Horizontal position in percent of the slot's first entry."""
    since = (min(entry.at for entry in slot) - period.start) / (period.end - period.start)
    return 100 * min(max(since, 0), 1)


def _slot(entry: DriftEntry, period: Period) -> int:
    return int((entry.start - period.start).total_seconds()) // period.slot_seconds


def _crowded(rows: Sequence[int]) -> int | None:
    return rows.index(MAX_FLAG_ROWS) if MAX_FLAG_ROWS in rows else None


def _flag_rows(crowds: Sequence[Sequence[SlotEntries]], period: Period) -> list[int]:
    """Lowest free row of each flag; ``MAX_FLAG_ROWS`` if there is none."""
    rows, ends = [], [0.0 - NARROW_PX] * MAX_FLAG_ROWS
    for crowd in crowds:
        half = 100 * _flag(crowd, period).width / 2 / NARROW_PX
        x = _x_percent(crowd[0], period)
        row = next((row for row, end in enumerate(ends) if end <= x - half), MAX_FLAG_ROWS)
        if row < MAX_FLAG_ROWS:
            ends[row] = x + half
        rows.append(row)
    return rows


def _letters(entries: Sequence[DriftEntry]) -> str:
    first, last = entries[0].letter, entries[-1].letter
    return first if first == last else f"{first}–{last}"
