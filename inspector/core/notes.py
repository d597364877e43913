"""What a fold stumbles over, kept small: each oddity with its first place and its count.

The fold says what happened; a rule says what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from inspector.core.findings import Where
from inspector.core.limits import MAX_SUBJECTS


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
    CALL_INDEX_REPEATED = "call-index-repeated"
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
    """The first place of each oddity for every subject, and how often it occurred.

    Of subjects there are no more than ``MAX_SUBJECTS``; what is beyond only counts.
    """

    def __init__(self) -> None:
        self._first: dict[Oddity, dict[str, Note]] = {}
        self._counts: dict[Oddity, dict[str, int]] = {}
        self._beyond: dict[Oddity, int] = {}
        self.total = 0

    def add(self, oddity: Oddity, where: Where, subject: str = "", detail: str = "") -> None:
        self.total += 1
        counts = self._counts.setdefault(oddity, {})
        if len(counts) >= MAX_SUBJECTS and subject not in counts:
            self._beyond[oddity] = self._beyond.get(oddity, 0) + 1
            return
        counts[subject] = counts.get(subject, 0) + 1
        if counts[subject] == 1:
            self._first.setdefault(oddity, {})[subject] = Note(where, subject, detail)

    def once(self, oddity: Oddity, where: Where, subject: str = "") -> None:
        """For what nearly every chunk of a stream may do: its first place, and no count."""
        if subject not in self._counts.get(oddity, ()):
            self.add(oddity, where, subject)

    @property
    def kinds(self) -> frozenset[str]:
        """What was noted at all, as plain texts."""
        return frozenset(str(oddity) for oddity in self._counts)

    def count(self, oddity: Oddity) -> int:
        return sum(self._counts.get(oddity, {}).values()) + self._beyond.get(oddity, 0)

    def first(self, oddity: Oddity) -> Note | None:
        return next(iter(self._first.get(oddity, {}).values()), None)

    def by_subject(self, oddity: Oddity) -> Iterator[tuple[Note, int]]:
        """The first note of every subject and how many there were."""
        for subject, note in self._first.get(oddity, {}).items():
            yield note, self._counts[oddity][subject]
