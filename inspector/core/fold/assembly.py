"""Folds events into an answer and its tape, by the table of their format.

The first object that a format recognises decides by which table all are read; formats that share
the shape of chat completions share a table, so that none of them is decided too early. Objects
before it, such as keep-alives, wait.
"""

from __future__ import annotations

import msgspec

from inspector.core import formats
from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.answer import AnswerFold
from inspector.core.fold.chunk_fast_path import ChunkShape, ChunkShapes, chunk_shape_of
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.handlers import root_of
from inspector.core.fragment import Fragment
from inspector.core.json import parser
from inspector.core.limits import Allowance
from inspector.core.tape import EventKind, TapeBuilder
from inspector.core.wire.framing import is_elision

END_MARK = b"[DONE]"
MAX_WAITING = 64
"""Objects that wait for one that shows their format."""


class EventObject(msgspec.Struct, frozen=True):
    """The object of one event. ``is_plain``: its text has no fault."""

    event: int
    text: bytes
    value: dict[str, Json]
    is_error: bool
    is_plain: bool


class Assembly:
    """Feed it events in order; choices, tape and notes can be read at any time."""

    def __init__(self, family: str | None = None) -> None:
        """``family``: the formats by whose table objects are read; None to recognise it."""
        self._cursor = FoldContext()
        self.answer = AnswerFold(self._cursor, root_of(family or formats.DEFAULT_FAMILY))
        self.family = family
        self._waiting: list[EventObject] = []
        self.chunks = 0
        self.end_marks = 0
        self._error_event: int | None = None
        self._comments = 0
        self._texts = 0
        self.shapes = ChunkShapes()

    @property
    def is_undecided(self) -> bool:
        """True if objects wait for one that shows their format."""
        return bool(self._waiting)

    def settle(self) -> None:
        """Read objects that wait, since nothing came that shows another format."""
        if self._waiting:
            self._decide(None)

    @property
    def tape(self) -> TapeBuilder:
        return self._cursor.tape

    @property
    def notes(self) -> AnomalyNotes:
        return self._cursor.notes

    @property
    def allowance(self) -> Allowance:
        return self._cursor.allowance

    def comment(self, byte_start: int, byte_end: int) -> None:
        self._comments += 1
        self.tape.event(byte_start, byte_end, EventKind.COMMENT)

    def named(self, name: bytes) -> None:
        """Record the name (``event:`` field) of the event that comes next."""
        where = Where(event=len(self.tape.kind))
        if name == b"error":
            self._error_event = where.event
        self.notes.once(Anomaly.EVENT_NAMED, where, name[:80].decode(errors="replace"))

    def ignored(self, byte_start: int, byte_end: int, oddity: Anomaly, subject: str = "") -> None:
        event = self.tape.event(byte_start, byte_end, EventKind.IGNORED)
        self.notes.add(oddity, Where(event=event), subject)

    def cut(self, byte_start: int, byte_end: int) -> None:
        """Record an incomplete last event."""
        self.tape.event(byte_start, byte_end, EventKind.TAIL)

    def event(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool = False) -> None:
        """Take one event with data: an end marker, a chunk, or something that is neither."""
        # Never for a tail: an event without its blank line needs a note of its own.
        if not is_tail and (alike := self.shapes.match(text)):
            self._cursor.text = text
            self._take_alike(byte_start, byte_end, *alike)
        # The first byte decides nearly always, and costs less than a copy without spaces.
        elif text[:1] != b"{" and text.strip() == END_MARK:
            self._end(byte_start, byte_end, text, is_tail=is_tail)
        else:
            self._take_text(byte_start, byte_end, text, is_tail=is_tail)

    def _take_text(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        self._texts += 1
        cursor, notes, tape = self._cursor, self._cursor.notes, self._cursor.tape
        noted = notes.total
        kind = EventKind.TAIL if is_tail else EventKind.CHUNK
        parsed = parser.parse_json(text)
        # Restored below where the data is no object: positions refer to the last chunk.
        last_chunk = cursor.event
        cursor.event = event = tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            notes.add(Anomaly.EVENT_AFTER_END_MARK, Where(event=event))
        if is_tail:
            notes.add(Anomaly.TAIL, Where(event=event))
        if b"\n" in text:
            notes.once(Anomaly.DATA_OVER_LINES, Where(event=event))
        if parsed.faults:
            self._take_faults(parsed, text)
        if parsed.value.__class__ is dict:
            self._take_object(text, parsed.value, is_plain=notes.total == noted)
            return
        cursor.event = last_chunk
        if parsed.fatal is None:
            notes.add(Anomaly.NOT_AN_OBJECT, Where(event=event))
        if not is_tail:
            tape.kind[event] = EventKind.IGNORED

    def _take_object(self, text: bytes, value: dict[str, Json], *, is_plain: bool) -> None:
        self.chunks += 1
        event = self._cursor.event
        is_error = event == self._error_event
        if self.family is None:
            self._wait(EventObject(event, text, value, is_error, is_plain))
        else:
            self._fold(event, text, value, is_error, is_plain)

    def _wait(self, held: EventObject) -> None:
        """Keep an object until its format is known, then fold all of them."""
        self._waiting.append(held)
        family = formats.family_that_reads(held.value)
        if family is not None or len(self._waiting) > MAX_WAITING:
            self._decide(family)

    def _decide(self, family: str | None) -> None:
        self.family = family or formats.DEFAULT_FAMILY
        if self.family != formats.DEFAULT_FAMILY:
            self.answer.read_by(root_of(self.family))
        waiting, self._waiting = self._waiting, []
        for held in waiting:
            self._fold(held.event, held.text, held.value, held.is_error, held.is_plain)

    def _fold(
        self, event: int, text: bytes, value: dict[str, Json], is_error: bool, is_plain: bool
    ) -> None:
        """Fold the object of an event. ``is_plain``: its text has no fault."""
        cursor, tape = self._cursor, self._cursor.tape
        notes, pieces, marks = cursor.notes.total, len(tape.piece_event), len(tape.mark_event)
        cursor.begin(event, text)
        if is_error and not value.keys() & {"error", "choices"}:
            self.answer.take_error_event(value)
            return
        self.answer.take(value)
        # A chunk that was noted or marked is no model: the fast path adds neither notes nor marks.
        # Exactly one piece: with two growing texts the fast path would not know whose text differs.
        is_quiet = (
            is_plain
            and cursor.is_steady
            and cursor.notes.total == notes
            and len(tape.piece_event) == pieces + 1
            and len(tape.mark_event) == marks
        )
        self.answer.take_usage_of(value)
        template = chunk_shape_of(value, cursor) if is_quiet else None
        self.shapes.learn(template, has_news=cursor.has_news)

    def _take_alike(
        self,
        byte_start: int,
        byte_end: int,
        template: ChunkShape,
        text: str,
        others: dict[str, Json],
    ) -> None:
        """Take a chunk that matched the shape of an earlier one."""
        self.chunks += 1
        self._texts += 1
        cursor = self._cursor
        cursor.event = cursor.tape.event(byte_start, byte_end, EventKind.CHUNK)
        self.answer.take_alike(template, text, others)

    def whole(
        self,
        value: dict[str, Json],
        text: bytes,
        byte_start: int = 0,
        byte_end: int | None = None,
        fragment: Fragment | None = None,
    ) -> None:
        """Take a whole body: one object that holds the complete answer or a part of it."""
        end = byte_start + len(text) if byte_end is None else byte_end
        self._begin_body([value], byte_start, end)
        self._cursor.is_whole = True
        self._cursor.text = text
        if fragment is Fragment.MESSAGE:
            self.answer.take_message_alone(value)
        elif fragment is Fragment.USAGE:
            self.answer.take_usage_alone(value)
        else:
            self.answer.take(value)
            self.answer.take_usage_of(value)

    def array(self, values: list[Json], text: bytes) -> None:
        """Take a whole body that is a list: its objects are folded together, as one event."""
        self._begin_body(values, 0, len(text))
        self._cursor.text = text
        for position, value in enumerate(values):
            if isinstance(value, dict):
                self.chunks += 1
                self._cursor.base = (position,)
                self.answer.take(value)
                self.answer.take_usage_of(value)

    def _begin_body(self, values: list[Json], byte_start: int, byte_end: int) -> None:
        """Begin the only event of a whole body, and decide by which table it is read."""
        objects = (value for value in values if isinstance(value, dict))
        if self.family is None:
            self._decide(next(filter(None, map(formats.family_that_reads, objects)), None))
        self._cursor.event = self.tape.event(byte_start, byte_end, EventKind.CHUNK)

    def _end(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        kind = EventKind.TAIL if is_tail else EventKind.END_MARK
        event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Anomaly.END_MARK_REPEATED, Where(event=event))
        self.end_marks += 1
        # What comes after the end marker is noted, so it must take the slow path.
        self.shapes.clear()
        if text != END_MARK:
            self.notes.add(Anomaly.PADDED_END_MARK, Where(event=event))
        if is_tail:
            self.notes.add(Anomaly.TAIL, Where(event=event), "end marker")

    def _take_faults(self, parsed: parser.ParsedJson, text: bytes) -> None:
        where = Where(event=self._cursor.event)
        if fatal := parsed.fatal:
            if is_elision(text):
                self.notes.add(Anomaly.ELISION, where)
                return
            if text[:1] in (b"{", b"["):
                self.note_broken(fatal, self._cursor.event)
            else:
                self.notes.add(Anomaly.NOT_AN_OBJECT, where, fatal.kind)
            return
        for fault in parsed.faults:
            self.notes.add(Anomaly.JSON_FAULT, where, fault.kind, _of_data(fault))

    def note_broken(self, fatal: parser.JsonFault, event: int) -> None:
        """Note that the data of an event is not JSON."""
        detail = f"{fatal.message} (byte {fatal.byte:,} of its data)"
        self.notes.add(Anomaly.BROKEN_CHUNK, Where(event=event), fatal.kind, detail)

    @property
    def is_event_stream(self) -> bool:
        """True if there was data or a comment; a plain text has neither."""
        return self._texts + self.end_marks + self._comments > 0

    @property
    def holds_whole_answers(self) -> bool:
        return self.notes.count(Anomaly.FOREIGN_CHUNK) > 1

    @property
    def last_event(self) -> int:
        """Number of the last event that held a chunk."""
        return self._cursor.event


def _of_data(fault: parser.JsonFault) -> str:
    """Describe a fault. A byte in the description counts from the start of the event's data."""
    if fault.kind is parser.JsonFaultKind.INVALID_UTF8:
        return f"byte {fault.byte:,} of the data is not UTF-8"
    return fault.message
