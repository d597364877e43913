"""Folds events into an answer and its tape, by the table of their format.

The first object that a format recognises decides by which table all are read; formats that share
the shape of chat completions share a table, so that none of them is decided too early. Objects
before it, such as keep-alives, wait.

A reader chosen by the first chunk would guess: WorkflowAI shows itself in the last one. A reader
for each format, and a second pass on a late sign, would let two readers drift apart.
"""

from collections.abc import Sequence

import msgspec

from inspector.core import formats
from inspector.core.findings import Where
from inspector.core.fold.anomalies import Anomaly, AnomalyNotes
from inspector.core.fold.chunk_fast_path import (
    ChunkShape,
    ChunkShapes,
    chunk_shape_of,
    is_numbered,
)
from inspector.core.fold.engine import node_at
from inspector.core.fold.fold_context import MAX_EVENT_TYPE, decoded_type
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.handlers import root_of
from inspector.core.fold.quotations import fault_words, near, page_title, quoted_data
from inspector.core.fold.wrapping import EventObject, Wrapping
from inspector.core.formats.fragment import Fragment
from inspector.core.formats.provider_error import ERROR_SIGNS, error_message, stated_error
from inspector.core.json import Json, parser
from inspector.core.json.pointer import pointer_to, value_at
from inspector.core.limits import MAX_EXPLAINED, Allowance
from inspector.core.tape import EventKind, TapeBuilder
from inspector.core.wire.framing import is_elision
from inspector.core.wire.sse import StreamItem

END_MARK = b"[DONE]"
MOST_LISTED = 8
"""Objects of a list, sent as one event, that are asked for an error."""
MAX_WAITING = 64
"""Objects that wait for one that shows their format."""


class Assembly:
    """Feed it events in order; choices, tape and notes can be read at any time."""

    def __init__(self, family: str | None = None) -> None:
        """``family``: the formats by whose table objects are read; None to recognise it."""
        self._context = FoldState(root_of(family or formats.DEFAULT_FAMILY))
        self.answer = self._context.answer
        self.family = family
        self._waiting: list[EventObject] = []
        self.wrapping = Wrapping(self._context)
        self._last_chunk = 0
        """The last event with a chunk before the one that is taken now."""
        self.chunks = 0
        self.end_marks = 0
        self._error_event: int | None = None
        self._event_type = ""
        """The type of the event that comes next, or is taken now."""
        self.is_in_page = False
        """True while lines of an HTML page come."""
        self._comments = 0
        self._data_events = 0
        """Events with data, but for end marks."""
        self._unread = 0
        """Events whose data was no chunk, or no JSON."""
        self.constants = 0
        """Chunks that are JSON but for constants, with which they were read."""
        self.shapes = ChunkShapes()
        self._idle: EventObject | None = None
        """The last chunk, if taking it again would change nothing."""

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
        return self._context.tape

    @property
    def notes(self) -> AnomalyNotes:
        return self._context.notes

    @property
    def allowance(self) -> Allowance:
        return self._context.allowance

    def comment(self, byte_start: int, byte_end: int) -> None:
        self._comments += 1
        self.tape.event(byte_start, byte_end, EventKind.COMMENT)

    def typed_by_field(self, event_type: bytes) -> None:
        """Set the type of the event that comes next, and note that there is an ``event:`` field."""
        self.typed(decoded_type(event_type), is_error=event_type == b"error")
        self.notes.once(Anomaly.EVENT_NAMED, Where(event=len(self.tape.kind)), self._event_type)

    def typed(self, event_type: str, *, is_error: bool) -> None:
        """Set the type of the event that comes next, as the framing names it."""
        self._event_type = event_type[:MAX_EVENT_TYPE]
        if is_error:
            self._error_event = len(self.tape.kind)

    def ignored(self, byte_start: int, byte_end: int, anomaly: Anomaly, subject: str = "") -> None:
        event = self.tape.event(byte_start, byte_end, EventKind.IGNORED)
        self.notes.add(anomaly, Where(event=event), subject)

    def page_line(self, byte_start: int, byte_end: int, text: bytes) -> None:
        """Take a line of an HTML page that stands in the stream, up to the next event."""
        self.is_in_page = True
        self.ignored(byte_start, byte_end, Anomaly.HTML_PAGE, page_title(text))

    def cut(self, byte_start: int, byte_end: int) -> None:
        """Record an incomplete last event."""
        self.tape.event(byte_start, byte_end, EventKind.TAIL)

    def event(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool = False) -> None:
        """Take one event with data: an end marker, a chunk, or something that is neither."""
        self.is_in_page = False
        # Never for a tail: an event without its blank line needs a note of its own.
        if not is_tail and (alike := self.shapes.match(text, self._event_type)):
            self._context.text = text
            self._take_alike(byte_start, byte_end, *alike)
        elif self._idle is not None and not is_tail and self._repeats(self._idle, text):
            self._take_idle(byte_start, byte_end, self._idle)
        # The first byte decides nearly always, and costs less than a copy without spaces.
        elif text[:1] != b"{" and text.strip() == END_MARK:
            self._end(byte_start, byte_end, text, is_tail=is_tail)
        else:
            self._take_text(byte_start, byte_end, text, is_tail=is_tail)
        self._event_type = ""

    def _take_text(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        self._data_events += 1
        context, notes, tape = self._context, self._context.notes, self._context.tape
        noted = notes.total
        kind = EventKind.TAIL if is_tail else EventKind.CHUNK
        # The first of each kind is told with its reason, the others are counted.
        is_explained = self._unread < MAX_EXPLAINED
        parsed = parser.parse_json(text) if is_explained else parser.parse_json_unexplained(text)
        # Restored below where the data is no chunk: positions refer to the last chunk.
        self._last_chunk = last_chunk = context.event
        context.event = event = tape.event(byte_start, byte_end, kind)
        if self.end_marks and not self.wrapping.path:
            notes.add(Anomaly.EVENT_AFTER_END_MARK, Where(event=event))
        if is_tail:
            notes.add(Anomaly.TAIL, Where(event=event))
        if text.find(b"\n") >= 0:
            notes.once(Anomaly.DATA_OVER_LINES, Where(event=event))
        value = parsed.value
        if parsed.faults:
            value = self._take_faults(parsed, text)
        if value.__class__ is dict and not self._is_foreign(value):
            self._take_object(text, value, is_plain=notes.total == noted)
            return
        context.event = last_chunk
        self._take_other(event, text, parsed, is_tail=is_tail)

    def _take_other(
        self, event: int, text: bytes, parsed: parser.ParsedJson, *, is_tail: bool
    ) -> None:
        """Take data that is no chunk: the words of an error, or what means nothing."""
        self._unread += 1
        if said := self._error_in(parsed.value, text):
            self.notes.add(Anomaly.PROVIDER_ERROR, Where(event=event), "error", said)
            self.tape.kind[event] = EventKind.ERROR
            return
        if parsed.fatal is None and not isinstance(parsed.value, dict):
            self.notes.add(Anomaly.NOT_AN_OBJECT, Where(event=event), detail=quoted_data(text))
        if not is_tail:
            self.tape.kind[event] = EventKind.IGNORED

    def _error_in(self, value: Json, text: bytes) -> str:
        """Return the words of an error that is no object: one in a list, or the text of an event
        that is named an error; "" if there is none.
        """
        listed = value[:MOST_LISTED] if isinstance(value, list) else []
        if any(isinstance(each, dict) and stated_error(each) for each in listed):
            return error_message(value)
        if self._event_type != "error" or isinstance(value, dict):
            return ""
        return error_message(text.decode(errors="replace") if value is None else value)

    def _take_object(self, text: bytes, value: dict[str, Json], *, is_plain: bool) -> None:
        self.chunks += 1
        event = self._context.event
        held = EventObject(
            event, text, value, self._event_type, event == self._error_event, is_plain
        )
        if self.family is None:
            self._wait(held)
        else:
            self._fold(held)

    def _wait(self, held: EventObject) -> None:
        """Keep an object until its format is known, then fold all of them."""
        self._waiting.append(held)
        family = self.wrapping.family_of(held)
        if family is not None or len(self._waiting) > MAX_WAITING:
            self._decide(family)

    def _decide(self, family: str | None) -> None:
        self.family = family or formats.DEFAULT_FAMILY
        if self.family != formats.DEFAULT_FAMILY:
            self.answer.read_by(root_of(self.family))
        waiting, self._waiting = self._waiting, []
        for held in waiting:
            self._fold(held)

    def _is_foreign(self, value: dict[str, Json]) -> bool:
        """Return True for an object of another format, which means nothing here; it is noted."""
        if self.family is None or formats.dialects()[self.family].begins(value):
            return False
        other = formats.family_that_reads(value)
        if other is not None:
            self._context.note(Anomaly.FORMAT_MIXED, (), other)
        return other is not None

    def _fold(self, held: EventObject) -> None:
        """Fold an object, or what is wrapped in it."""
        inner = self.wrapping.unwrapped(held, self.family)
        if inner is None:
            self._take_wrapping(held)
            return
        if self.end_marks and self.wrapping.path:
            self.notes.add(Anomaly.EVENT_AFTER_END_MARK, Where(event=held.event))
        self._fold_object(inner)
        self._context.base = ()

    def _take_wrapping(self, held: EventObject) -> None:
        """Take an event whose wrapping holds nothing: it may be an error, or the end."""
        tape, sent = self.tape, value_at(held.value, pointer_to(self.wrapping.path))
        self.chunks -= 1
        if (stated := stated_error(held.value)) is not None:
            self.answer.take_error(*stated)
            return
        self._context.event = self._last_chunk
        tape.kind[held.event] = EventKind.IGNORED
        if isinstance(sent, str) and sent.removeprefix("data:").strip() == END_MARK.decode():
            tape.kind[held.event] = EventKind.END_MARK
            self.end_marks += 1

    def _fold_object(self, held: EventObject) -> None:
        value = held.value
        context, tape = self._context, self._context.tape
        pieces, marks = len(tape.piece_event), len(tape.mark_event)
        context.begin(held.event, held.text, held.event_type)
        context.base = held.base
        self._last_chunk = held.event
        if held.is_error and not value.keys() & {"error", "choices"}:
            # Shapes stay: what the last chunk said, with which the next is compared
            # (``AnswerFold.last``), and the choices are left as they were.
            self.answer.take_error_event(value)
            return
        self._take(value)
        if self.answer.is_closed:
            # What comes after the end is noted, so it must take the slow path.
            self.shapes.clear()
        # A chunk that would be noted or marked again is no model: the fast path does neither.
        is_quiet = held.is_plain and context.is_steady and len(tape.mark_event) == marks
        grown = len(tape.piece_event) - pieces
        # In between, because it marks each usage: chunks of a shape have theirs taken, too
        # (``VARYING``), but one that is idle is not looked at.
        self.answer.take_usage_of(value)
        # Exactly one piece: with two growing texts the fast path would not know whose text differs.
        is_model = is_quiet and grown == 1
        shape = chunk_shape_of(value, context, context.choice.index) if is_model else None
        self.shapes.learn(shape, has_news=context.has_news)
        is_quiet = is_quiet and context.is_steady and len(tape.mark_event) == marks
        adds_more = context.entry is not None or context.beside is not None
        is_idle = is_quiet and not grown and not adds_more and not context.has_news
        self._idle = held if is_idle and not is_numbered(value, context) else None

    def _take(self, value: dict[str, Json]) -> None:
        """Take an object, except its usage, and the error that it states in any shape, unless the
        table of the format has taken it.
        """
        root = self.answer.root
        # Most objects have no member that an error has.
        if ERROR_SIGNS.isdisjoint(value):
            root.take(self._context, root, value, (), None)
            return
        stated, before = stated_error(value), self.notes.count(Anomaly.PROVIDER_ERROR)
        root.take(self._context, root, value, (), None)
        if stated is not None and self.notes.count(Anomaly.PROVIDER_ERROR) == before:
            self.answer.take_error(*stated)

    def error_line(self, byte_start: int, byte_end: int, text: bytes) -> None:
        """Take a line that begins with ``error:``, in which servers of llama.cpp state an error."""
        context, last_chunk = self._context, self._context.event
        self._data_events += 1
        context.event = self.tape.event(byte_start, byte_end, EventKind.ERROR)
        value = parser.parse_json(text).value
        said = text.decode(errors="replace") if value is None else value
        self.notes.add(Anomaly.IGNORED_LINE, Where(event=context.event), "error")
        self.notes.add(
            Anomaly.PROVIDER_ERROR, Where(event=context.event), "error", error_message(said)
        )
        context.event = last_chunk

    def _take_alike(
        self, byte_start: int, byte_end: int, shape: ChunkShape, text: str, others: dict[str, Json]
    ) -> None:
        self.chunks += 1
        self._data_events += 1
        context = self._context
        context.event = context.tape.event(byte_start, byte_end, EventKind.CHUNK)
        self.answer.take_alike(shape, text, others)

    def take_run(self, items: Sequence[StreamItem], at: int) -> int:
        """Take the events from ``at`` on that are like the last chunk but for its variable parts,
        and return how many there are. What others need, they get from ``event``.
        """
        shape = self.shapes.only
        # Of one event alone the preparations would cost more than they save.
        if shape is None or at + 1 >= len(items):
            return 0
        run = shape.run_from(items, at)
        count = len(run.events)
        if count:
            first = self.tape.events(run.events, EventKind.CHUNK)
            self.chunks += count
            self._data_events += count
            self.answer.take_run(shape, run, first)
            self._context.event = first + count - 1
        return count

    def _repeats(self, idle: EventObject, text: bytes) -> bool:
        """Return True if a text is the last chunk again, which changed nothing."""
        is_last = idle.event == self._context.event
        return is_last and idle.text == text and idle.event_type == self._event_type

    def _take_idle(self, byte_start: int, byte_end: int, idle: EventObject) -> None:
        self.chunks += 1
        self._data_events += 1
        event = self.tape.event(byte_start, byte_end, EventKind.CHUNK)
        self._context.event = event
        self._idle = msgspec.structs.replace(idle, event=event)

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
        self._context.is_whole = True
        self._context.text = text
        if fragment is Fragment.MESSAGE:
            self._take_message_alone(value)
        elif fragment is Fragment.USAGE:
            self.answer.take_usage_alone(value)
        else:
            self._take(value)
            self.answer.take_usage_of(value)

    def _take_message_alone(self, value: dict[str, Json]) -> None:
        fold = self.answer.choice_fold({"index": 0}, "index", ("choices", 0))
        if fold is not None:
            self._context.choice = fold
            node = node_at(self.answer.root, ("choices", "*", "message"))
            node.take(self._context, node, value, (), {})

    def array(self, values: list[Json], text: bytes) -> None:
        """Take a whole body that is a list: its objects are folded together, as one event."""
        self._begin_body(values, 0, len(text))
        self._context.text = text
        for position, value in enumerate(values):
            if isinstance(value, dict):
                self.chunks += 1
                self._context.base = (position,)
                if not self._is_foreign(value):
                    self._take(value)
                    self.answer.take_usage_of(value)

    def _begin_body(self, values: list[Json], byte_start: int, byte_end: int) -> None:
        """Begin the only event of a whole body, and decide by which table it is read."""
        objects = (value for value in values if isinstance(value, dict))
        if self.family is None:
            self._decide(next(filter(None, map(formats.family_that_reads, objects)), None))
        self._context.event = self.tape.event(byte_start, byte_end, EventKind.CHUNK)

    def _end(self, byte_start: int, byte_end: int, text: bytes, *, is_tail: bool) -> None:
        kind = EventKind.TAIL if is_tail else EventKind.END_MARK
        event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Anomaly.END_MARK_REPEATED, Where(event=event))
        self.end_marks += 1
        # What comes after the end marker is noted, so it must take the slow path.
        self.shapes.clear()
        self._idle = None
        if text != END_MARK:
            self.notes.add(Anomaly.PADDED_END_MARK, Where(event=event))
        if is_tail:
            self.notes.add(Anomaly.TAIL, Where(event=event), "end marker")

    def _take_faults(self, parsed: parser.ParsedJson, text: bytes) -> Json:
        """Note what is wrong with data. Return its value, as far as it can be read."""
        where = Where(event=self._context.event)
        if fatal := parsed.fatal:
            return self._take_fatal(fatal, text, where)
        for fault in parsed.faults:
            self.notes.add(Anomaly.JSON_FAULT, where, fault.kind, fault_words(fault))
        return parsed.value

    def _take_fatal(self, fatal: parser.JsonFault, text: bytes, where: Where) -> Json:
        if is_elision(text):
            self.notes.add(Anomaly.ELISION, where)
        elif text[:1] in (b"{", b"["):
            self.note_broken(fatal, self._context.event, text)
            # Clients in Python read them, and their readers ask what the others lost.
            value = parser.parse_with_constants(text)
            self._unread += value is not None
            self.constants += value is not None
            return value
        else:
            self.notes.add(Anomaly.NOT_AN_OBJECT, where, fatal.kind, quoted_data(text))
        return None

    def note_broken(self, fatal: parser.JsonFault, event: int, text: bytes) -> None:
        """Note that the chunk of an event, which came as ``text``, is broken JSON."""
        detail = ""
        if not self.notes.has(Anomaly.BROKEN_CHUNK, fatal.kind):
            detail = f"{fatal.message} (byte {fatal.byte:,} of its data){near(text, fatal.byte)}"
        self.notes.add(Anomaly.BROKEN_CHUNK, Where(event=event), fatal.kind, detail)

    @property
    def is_event_stream(self) -> bool:
        """True if there was data or a comment; a plain text has neither."""
        return self._data_events + self.end_marks + self._comments > 0

    @property
    def holds_whole_answers(self) -> bool:
        """True if the objects are answers of their own, as in the file of a batch."""
        notes = self.notes
        if notes.count(Anomaly.FOREIGN_CHUNK) > 1 or self.answer.outcomes > 1:
            return True
        read_by = formats.dialects().get(self.family or "")
        if read_by is None or not read_by.wrapper:
            return False
        is_other = notes.has(Anomaly.FIELD_CHANGED, read_by.identity.get("id", "id"))
        return is_other and notes.count(Anomaly.FINISH_REPEATED) > 0

    @property
    def last_event(self) -> int:
        """Number of the last event that held a chunk."""
        return self._context.event
