"""Events to an answer and its tape: one fold, which never needs to know the dialect."""

from __future__ import annotations

from inspector.core import json_text
from inspector.core.answer import AnswerFold
from inspector.core.completion import Json
from inspector.core.cursor import Cursor
from inspector.core.findings import Where
from inspector.core.framing import is_elision
from inspector.core.limits import Allowance
from inspector.core.notes import Notes, Oddity
from inspector.core.tape import EventKind, TapeBuilder
from inspector.core.template import Template, Templates, template_of

END_MARK = b"[DONE]"


class Assembly:
    """Feed it events in order; read choices, tape and notes at any time."""

    def __init__(self) -> None:
        self._cursor = Cursor()
        self.answer = AnswerFold(self._cursor)
        self.chunks = 0
        self.end_marks = 0
        self._error_event: int | None = None
        self._comments = 0
        self._texts = 0
        self._templates = Templates()

    @property
    def tape(self) -> TapeBuilder:
        return self._cursor.tape

    @property
    def notes(self) -> Notes:
        return self._cursor.notes

    @property
    def allowance(self) -> Allowance:
        return self._cursor.allowance

    def comment(self, byte_start: int, byte_end: int) -> None:
        self._comments += 1
        self.tape.event(byte_start, byte_end, EventKind.COMMENT)

    def named(self, name: bytes) -> None:
        """The event that comes next has a name of its own."""
        where = Where(event=len(self.tape.kind))
        if name == b"error":
            self._error_event = where.event
        self.notes.once(Oddity.EVENT_NAMED, where, name[:80].decode(errors="replace"))

    def ignored(self, byte_start: int, byte_end: int, oddity: Oddity, subject: str = "") -> None:
        event = self.tape.event(byte_start, byte_end, EventKind.IGNORED)
        self.notes.add(oddity, Where(event=event), subject)

    def cut(self, byte_start: int, byte_end: int) -> None:
        """The last event, of which a part is missing."""
        self.tape.event(byte_start, byte_end, EventKind.TAIL)

    def event(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool = False) -> None:
        """One event with data: an end mark, a chunk, or something that is neither."""
        if not is_tail and (alike := self._templates.match(text)):
            self._cursor.text = text
            self._take_alike(byte_start, byte_end, *alike)
        elif text[:1] != b"{" and text.strip() == END_MARK:
            self._end(byte_start, byte_end, text, is_tail=is_tail)
        else:
            self._take_text(byte_start, byte_end, text, is_tail=is_tail)

    def _take_text(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        self._texts += 1
        notes = self.notes.total
        kind = EventKind.TAIL if is_tail else EventKind.CHUNK
        parsed = json_text.parse(text)
        last_chunk = self._cursor.event
        self._cursor.event = event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Oddity.EVENT_AFTER_END_MARK, Where(event=event))
        if is_tail:
            self.notes.add(Oddity.TAIL, Where(event=event))
        if b"\n" in text:
            self.notes.once(Oddity.DATA_OVER_LINES, Where(event=event))
        if parsed.faults:
            self._take_faults(parsed, text)
        if parsed.value.__class__ is dict:
            self.chunks += 1
            self._take_chunk(text, parsed.value, notes)
            return
        self._cursor.event = last_chunk
        if parsed.fatal is None:
            self.notes.add(Oddity.NOT_AN_OBJECT, Where(event=event))
        if not is_tail:
            self.tape.kind[event] = EventKind.IGNORED

    def _take_chunk(self, text: bytes, value: dict[str, Json], notes: int) -> None:
        """``notes``: how many there were before anything was said of this event."""
        cursor, tape = self._cursor, self.tape
        pieces, marks = tape.counts
        cursor.text = text
        if cursor.event == self._error_event and not value.keys() & {"error", "choices"}:
            self.answer.take_error(value)
            return
        has_news = self.answer.take(value)
        # What is noted or marked must be so at every chunk that does it.
        is_quiet = self.notes.total == notes and tape.counts == (pieces + 1, marks)
        grown = cursor.grown if is_quiet else None
        self.answer.take_usage_of(value)
        template = template_of(text, value, grown) if grown is not None else None
        self._templates.learn(template, has_news=has_news)

    def _take_alike(
        self,
        byte_start: int,
        byte_end: int,
        template: Template,
        text: str,
        others: dict[str, Json],
    ) -> None:
        """A chunk like the one before: all that it says is told already, but for what differs."""
        self.chunks += 1
        self._texts += 1
        self._cursor.event = self.tape.event(byte_start, byte_end, EventKind.CHUNK)
        self.answer.take_alike(template, text, others)

    def whole(self, value: dict[str, Json], text: bytes, byte_start: int = 0) -> None:
        """A whole body: one object that says everything at once."""
        self._begin_whole(text, byte_start)
        self._cursor.is_whole = True
        self.answer.take(value)
        self.answer.take_usage_of(value)

    def array(self, values: list[Json], text: bytes) -> None:
        """A whole body that is a list: its objects are looked at together, as one event."""
        self._begin_whole(text)
        for value in values:
            if isinstance(value, dict):
                self.chunks += 1
                self.answer.take(value)
                self.answer.take_usage_of(value)

    def _begin_whole(self, text: bytes, byte_start: int = 0) -> None:
        self._cursor.text = text
        end = byte_start + len(text)
        self._cursor.event = self.tape.event(byte_start, end, EventKind.CHUNK)

    def _end(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        kind = EventKind.TAIL if is_tail else EventKind.END_MARK
        event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Oddity.END_MARK_REPEATED, Where(event=event))
        self.end_marks += 1
        self._templates.clear()
        if text != END_MARK:
            self.notes.add(Oddity.PADDED_END_MARK, Where(event=event))
        if is_tail:
            self.notes.add(Oddity.TAIL, Where(event=event), "end marker")

    def _take_faults(self, parsed: json_text.Parsed, text: bytes) -> None:
        where = Where(event=self._cursor.event)
        if fatal := parsed.fatal:
            if is_elision(text):
                self.notes.add(Oddity.ELISION, where)
                return
            oddity = Oddity.BROKEN_CHUNK if text[:1] in (b"{", b"[") else Oddity.NOT_AN_OBJECT
            detail = f"{fatal.message} (byte {fatal.byte:,} of its data)"
            self.notes.add(oddity, where, fatal.kind, detail)
            return
        for fault in parsed.faults:
            self.notes.add(Oddity.JSON_FAULT, where, fault.kind, _of_data(fault))

    @property
    def is_event_stream(self) -> bool:
        """Something was dispatched or kept alive; plain text has neither data nor comments."""
        return self._texts + self.end_marks + self._comments > 0

    @property
    def holds_whole_answers(self) -> bool:
        return self.notes.count(Oddity.FOREIGN_CHUNK) > 1

    @property
    def last_event(self) -> int:
        """The number of the last event that held a chunk; of what came before it, all others."""
        return self._cursor.event


def _of_data(fault: json_text.Fault) -> str:
    """A byte that is named counts from where the data of the event begins."""
    if fault.kind is json_text.FaultKind.INVALID_UTF8:
        return f"byte {fault.byte:,} of the data is not UTF-8"
    return fault.message
