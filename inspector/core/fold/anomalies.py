"""Protocol anomalies met by the fold, each with its first place and its count.

The fold records what happened; rules decide what it means.
"""

from collections.abc import Iterable, Iterator
from enum import StrEnum

import msgspec

from inspector.core.findings import Where
from inspector.core.limits import MAX_SUBJECTS


class Anomaly(StrEnum):
    """The kinds of anomalies."""

    AROUND = "around"
    BAD_CALL = "bad-call"
    BAD_CHOICE = "bad-choice"
    BAD_CONTENT = "bad-content"
    BAD_DELTA = "bad-delta"
    BAD_INDEX = "bad-index"
    BAD_POSITION = "bad-position"
    BLOCKS_OPEN = "blocks-open"
    BLOCK_AFTER_STOP = "block-after-stop"
    BLOCK_NOT_BEGUN = "block-not-begun"
    BLOCK_REPEATED = "block-repeated"
    BROKEN_CHUNK = "broken-chunk"
    CALL_FIELD_AGAIN = "call-field-again"
    CALL_FIELD_EMPTY = "call-field-empty"
    CALL_ID_CHANGED = "call-id-changed"
    CALL_INDEX_MISSING = "call-index-missing"
    CALL_INDEX_REPEATED = "call-index-repeated"
    CALL_NAME_CHANGED = "call-name-changed"
    CALL_NAME_IN_PIECES = "call-name-in-pieces"
    CHOICES_INTERLEAVED = "choices-interleaved"
    CHOICES_MISSING = "choices-missing"
    CHOICE_INDEX_MISSING = "choice-index-missing"
    CHUNK_SIZES = "chunk-sizes"
    CONTENT_AFTER_FINISH = "content-after-finish"
    CONTENT_PARTS = "content-parts"
    CUT_OUT = "cut-out"
    DATA_OVER_LINES = "data-over-lines"
    DELTA_IN_WHOLE = "delta-in-whole"
    DELTA_MISSING = "delta-missing"
    DONE_DIFFERS = "done-differs"
    ELISION = "elision"
    EMPTY_CHOICES = "empty-choices"
    EMPTY_DATA = "empty-data"
    END_MARK_REPEATED = "end-mark-repeated"
    EVENT_AFTER_END_MARK = "event-after-end-mark"
    EVENT_MISNAMED = "event-misnamed"
    EVENT_NAMED = "event-named"
    FIELD_CHANGED = "field-changed"
    FINISH_EMPTY = "finish-empty"
    FINISH_KEY_MISSING = "finish-key-missing"
    FINISH_REPEATED = "finish-repeated"
    FOREIGN_CHUNK = "foreign-chunk"
    FRAME_FAULT = "frame-fault"
    FORMAT_MIXED = "format-mixed"
    IGNORED_LINE = "ignored-line"
    INDEX_NOT_POSITION = "index-not-position"
    ITEM_ID_DIFFERS = "item-id-differs"
    JSON_FAULT = "json-fault"
    HTML_PAGE = "html-page"
    MESSAGE_BESIDE_DELTA = "message-beside-delta"
    MISFRAMED = "misframed"
    NO_DATA_PREFIX = "no-data-prefix"
    NOT_AN_OBJECT = "not-an-object"
    OBJECT_ARGUMENTS = "object-arguments"
    PADDED_END_MARK = "padded-end-mark"
    PARTIAL_ARGUMENTS = "partial-arguments"
    PARTIAL_MISPLACED = "partial-misplaced"
    PIECE_UNKNOWN = "piece-unknown"
    POSITION_DIFFERS = "position-differs"
    STANDS_ELSEWHERE = "stands-elsewhere"
    PROVIDER_ERROR = "provider-error"
    PRINTED = "printed"
    NOT_PRINTED = "not-printed"
    REASONING_AFTER_CONTENT = "reasoning-after-content"
    REASONING_TWICE = "reasoning-twice"
    REPEATED_INDEX = "repeated-index"
    ROLE_CHANGED = "role-changed"
    ROLE_EMPTY = "role-empty"
    ROLE_REPEATED = "role-repeated"
    SEQUENCE_GAP = "sequence-gap"
    SEVERAL_ANSWERS = "several-answers"
    SEVERAL_DOCUMENTS = "several-documents"
    START_REPEATED = "start-repeated"
    TAIL = "tail"
    TEXT_ARGUMENTS = "text-arguments"
    TEXT_SAID_AGAIN = "text-said-again"
    TRAILING_COMMA = "trailing-comma"
    USAGE_FELL = "usage-fell"
    USAGE_GROWN = "usage-grown"
    USAGE_ON_CHOICE = "usage-on-choice"
    USAGE_IN_PARTS = "usage-in-parts"
    USAGE_REPEATED = "usage-repeated"
    WHOLE_LACKS = "whole-lacks"
    WRAPPED = "wrapped"


class AnomalyNote(msgspec.Struct, frozen=True):
    """An anomaly in one place. ``subject``: what it is about (a field, a choice, a fault)."""

    where: Where
    subject: str = ""
    detail: str = ""


class AnomalyNotes:
    """First place and count of each anomaly, by subject.

    At most ``MAX_SUBJECTS`` subjects of an anomaly are kept; further ones are only counted.
    """

    def __init__(self) -> None:
        self._first: dict[Anomaly, dict[str, AnomalyNote]] = {}
        self._counts: dict[Anomaly, dict[str, int]] = {}
        self._beyond: dict[Anomaly, int] = {}
        self.total = 0

    def add(self, anomaly: Anomaly, where: Where, subject: str = "", detail: str = "") -> None:
        if self.again(anomaly, subject):
            return
        self.total += 1
        counts = self._counts.setdefault(anomaly, {})
        # Subjects come from the payload: a stream may name a new one in every chunk.
        if len(counts) >= MAX_SUBJECTS:
            self._beyond[anomaly] = self._beyond.get(anomaly, 0) + 1
            return
        counts[subject] = 1
        self._first.setdefault(anomaly, {})[subject] = AnomalyNote(where, subject, detail)

    def again(self, anomaly: Anomaly, subject: str) -> bool:
        """Count an anomaly whose first place is known; return False if it is not."""
        counts = self._counts.get(anomaly)
        if counts is None or subject not in counts:
            return False
        self.total += 1
        counts[subject] += 1
        return True

    def once(self, anomaly: Anomaly, where: Where, subject: str = "") -> None:
        """Note the first place only. For anomalies that nearly every chunk of a stream may show."""
        if not self.has(anomaly, subject):
            self.add(anomaly, where, subject)

    def has(self, anomaly: Anomaly, subject: str) -> bool:
        return subject in self._counts.get(anomaly, ())

    @property
    def kinds(self) -> Iterable[Anomaly]:
        """The anomalies that occurred."""
        return self._counts.keys()

    def count(self, anomaly: Anomaly) -> int:
        return sum(self._counts.get(anomaly, {}).values()) + self._beyond.get(anomaly, 0)

    def first(self, anomaly: Anomaly) -> AnomalyNote | None:
        return next(iter(self._first.get(anomaly, {}).values()), None)

    def by_subject(self, anomaly: Anomaly) -> Iterator[tuple[AnomalyNote, int]]:
        """Yield the first note of each subject with its count."""
        for subject, note in self._first.get(anomaly, {}).items():
            yield note, self._counts[anomaly][subject]
