"""Folds events into an answer and its tape. The fold is the same for all dialects."""

from __future__ import annotations

from inspector.core.completion import Json
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.answer import AnswerFold
from inspector.core.fold.chunk_fast_path import ChunkShape, ChunkShapes, chunk_shape_of
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fragment import Fragment
from inspector.core.json import parser
from inspector.core.limits import Allowance
from inspector.core.tape import EventKind, TapeBuilder
from inspector.core.wire.framing import is_elision

END_MARK = b"[DONE]"


class Assembly:
    """Feed it events in order; choices, tape and notes can be read at any time."""

    def __init__(self) -> None:
        self._cursor = FoldContext()
        self.answer = AnswerFold(self._cursor)
        self.chunks = 0
        self.end_marks = 0
        self._error_event: int | None = None
        self._comments = 0
        self._texts = 0
        self._templates = ChunkShapes()

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
        if not is_tail and (alike := self._templates.match(text)):
            self._cursor.text = text
            self._take_alike(byte_start, byte_end, *alike)
        # The first byte decides nearly always, and costs less than a copy without spaces.
        elif text[:1] != b"{" and text.strip() == END_MARK:
            self._end(byte_start, byte_end, text, is_tail=is_tail)
        else:
            self._take_text(byte_start, byte_end, text, is_tail=is_tail)

    def _take_text(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        self._texts += 1
        notes = self.notes.total
        kind = EventKind.TAIL if is_tail else EventKind.CHUNK
        parsed = parser.parse_json(text)
        # Restored below where the data is no object: positions refer to the last chunk.
        last_chunk = self._cursor.event
        self._cursor.event = event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Anomaly.EVENT_AFTER_END_MARK, Where(event=event))
        if is_tail:
            self.notes.add(Anomaly.TAIL, Where(event=event))
        if b"\n" in text:
            self.notes.once(Anomaly.DATA_OVER_LINES, Where(event=event))
        if parsed.faults:
            self._take_faults(parsed, text)
        if parsed.value.__class__ is dict:
            self.chunks += 1
            self._take_chunk(text, parsed.value, notes)
            return
        self._cursor.event = last_chunk
        if parsed.fatal is None:
            self.notes.add(Anomaly.NOT_AN_OBJECT, Where(event=event))
        if not is_tail:
            self.tape.kind[event] = EventKind.IGNORED

    def _take_chunk(self, text: bytes, value: dict[str, Json], notes: int) -> None:
        """Fold a chunk. ``notes`` is the number of notes before this event."""
        cursor, tape = self._cursor, self.tape
        pieces, marks = tape.counts
        cursor.text = text
        if cursor.event == self._error_event and not value.keys() & {"error", "choices"}:
            self.answer.take_error(value)
            return
        has_news = self.answer.take(value)
        # A chunk that was noted or marked is no model: the fast path adds neither notes nor marks.
        # Exactly one piece: with two growing texts the fast path would not know whose text differs.
        is_quiet = self.notes.total == notes and tape.counts == (pieces + 1, marks)
        grown = cursor.grown if is_quiet else None
        self.answer.take_usage_of(value)
        template = chunk_shape_of(text, value, grown) if grown is not None else None
        self._templates.learn(template, has_news=has_news)

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
        self._cursor.event = self.tape.event(byte_start, byte_end, EventKind.CHUNK)
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
        self._begin_whole(text, byte_start, byte_end)
        self._cursor.is_whole = True
        if fragment is Fragment.MESSAGE:
            self.answer.take_message_alone(value)
        elif fragment is Fragment.USAGE:
            self.answer.take_usage_alone(value)
        else:
            self.answer.take(value)
            self.answer.take_usage_of(value)

    def array(self, values: list[Json], text: bytes) -> None:
        """Take a whole body that is a list: its objects are folded together, as one event."""
        self._begin_whole(text)
        for value in values:
            if isinstance(value, dict):
                self.chunks += 1
                self.answer.take(value)
                self.answer.take_usage_of(value)

    def _begin_whole(self, text: bytes, byte_start: int = 0, byte_end: int | None = None) -> None:
        self._cursor.text = text
        end = byte_start + len(text) if byte_end is None else byte_end
        self._cursor.event = self.tape.event(byte_start, end, EventKind.CHUNK)

    def _end(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        kind = EventKind.TAIL if is_tail else EventKind.END_MARK
        event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Anomaly.END_MARK_REPEATED, Where(event=event))
        self.end_marks += 1
        # What comes after the end marker is noted, so it must take the slow path.
        self._templates.clear()
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
