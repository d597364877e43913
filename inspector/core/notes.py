"""What a fold stumbles over, kept small: each oddity with its first places and its count.

The fold says what happened; a rule says what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.findings import Where

MAX_PLACES = 5
"""Places kept per oddity; the count goes on."""


class Oddity(StrEnum):
    """What a fold can stumble over."""

    AROUND = "around"
    BAD_CALL = "bad-call"
    BAD_CHOICE = "bad-choice"
    BAD_CONTENT = "bad-content"
    BAD_DELTA = "bad-delta"
    BAD_INDEX = "bad-index"
    BROKEN_CHUNK = "broken-chunk"
    CALL_ID_CHANGED = "call-id-changed"
    CALL_INDEX_MISSING = "call-index-missing"
    CHOICES_INTERLEAVED = "choices-interleaved"
    CHOICES_MISSING = "choices-missing"
    CHOICE_INDEX_MISSING = "choice-index-missing"
    CONTENT_AFTER_FINISH = "content-after-finish"
    CONTENT_PARTS = "content-parts"
    CUT_OUT = "cut-out"
    DATA_OVER_LINES = "data-over-lines"
    DELTA_MISSING = "delta-missing"
    ELISION = "elision"
    EMPTY_CHOICES = "empty-choices"
    EMPTY_DATA = "empty-data"
    END_MARK_REPEATED = "end-mark-repeated"
    EVENT_AFTER_END_MARK = "event-after-end-mark"
    EVENT_NAMED = "event-named"
    FIELD_CHANGED = "field-changed"
    FINISH_KEY_MISSING = "finish-key-missing"
    FINISH_REPEATED = "finish-repeated"
    FOREIGN_CHUNK = "foreign-chunk"
    IGNORED_LINE = "ignored-line"
    INDEX_NOT_POSITION = "index-not-position"
    JSON_FAULT = "json-fault"
    MESSAGE_BESIDE_DELTA = "message-beside-delta"
    NO_DATA_PREFIX = "no-data-prefix"
    NOT_AN_OBJECT = "not-an-object"
    OBJECT_ARGUMENTS = "object-arguments"
    PADDED_END_MARK = "padded-end-mark"
    PROVIDER_ERROR = "provider-error"
    REASONING_TWICE = "reasoning-twice"
    REPEATED_INDEX = "repeated-index"
    ROLE_CHANGED = "role-changed"
    ROLE_REPEATED = "role-repeated"
    SEVERAL_DOCUMENTS = "several-documents"
    TAIL = "tail"
    USAGE_GROWN = "usage-grown"
    USAGE_ON_CHOICE = "usage-on-choice"
    USAGE_REPEATED = "usage-repeated"


class Note(msgspec.Struct, frozen=True):
    """One oddity in one place; ``subject`` names what it concerns (a field, a reason)."""

    where: Where
    subject: str = ""
    detail: str = ""


class Notes:
    """The first places of each oddity, and how often it occurred."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Oddity, str], list[Note]] = {}
        self._counts: dict[tuple[Oddity, str], int] = {}
        self.total = 0

    def add(self, oddity: Oddity, where: Where, subject: str = "", detail: str = "") -> None:
        self.total += 1
        key = (oddity, subject)
        self._counts[key] = self._counts.get(key, 0) + 1
        kept = self._kept.setdefault(key, [])
        if len(kept) < MAX_PLACES:
            kept.append(Note(where, subject, detail))

    def once(self, oddity: Oddity, where: Where, subject: str = "") -> None:
        """For what nearly every chunk of a stream may do: its first place, and no count."""
        if (oddity, subject) not in self._counts:
            self.add(oddity, where, subject)

    def count(self, oddity: Oddity) -> int:
        return sum(count for (kind, _), count in self._counts.items() if kind is oddity)

    def first(self, oddity: Oddity) -> Note | None:
        return next((notes[0] for (kind, _), notes in self._kept.items() if kind is oddity), None)

    def by_subject(self, oddity: Oddity) -> Iterator[tuple[Note, int]]:
        """The first note of every subject and how many there were."""
        for (kind, subject), notes in self._kept.items():
            if kind is oddity:
                yield notes[0], self._counts[kind, subject]
