"""Events to choices and tape: one fold, which never needs to know the dialect.

Rules of joining: text is concatenated per choice; tool calls are joined by index; of ``id``,
``created``, ``model``, ``system_fingerprint`` and ``service_tier`` the first value that is neither
null, "" nor 0 holds, of finish reason and usage the last; unknown fields stay at their level.
Nothing is sized by an index that came from outside, and no number is added up.
"""

from __future__ import annotations

from msgspec import UNSET

from inspector.core import json_text
from inspector.core.analysis import Created
from inspector.core.completion import Json
from inspector.core.cursor import Cursor, Found, shorten
from inspector.core.dialects.dialect import Signs
from inspector.core.facts import error_message
from inspector.core.findings import Where
from inspector.core.framing import is_elision
from inspector.core.gathering import lay_over, settled
from inspector.core.message import ChoiceFold
from inspector.core.notes import Notes, Oddity
from inspector.core.pointer import pointer_to
from inspector.core.provider_clocks import KEPT
from inspector.core.tape import EventKind, MarkKind, TapeBuilder
from inspector.core.template import PADDING, Template, Templates, template_of
from inspector.core.usage import MAX_COUNT, is_grown

FIRST_HOLDS = frozenset({"id", "created", "model", "system_fingerprint", "service_tier"})
END_MARK = b"[DONE]"
MAX_SIGNS = 64


class Assembly:
    """Feed it events in order; read choices, tape and notes at any time."""

    def __init__(self) -> None:
        self._cursor = Cursor()
        self.top: dict[str, Json] = {}
        self.choices: dict[int, ChoiceFold] = {}
        self._highest_choice = -1
        self.usage = Found()
        self._usage_beside = Found()
        self.clocks: dict[str, Found] = {}
        """Where the provider last told times of its own, by top-level field."""
        self.created: Created | None = None
        self.chunks = 0
        self.end_marks = 0
        self._comments = 0
        self._texts = 0
        self._at_choice: int | None = None
        """The choice of the last chunk."""
        self._templates = Templates()
        self._last: dict[str, Json] = {}
        """What the last object said of each top-level field, as it was sent."""
        self._objects: set[str] = set()
        self._types: set[str] = set()

    @property
    def tape(self) -> TapeBuilder:
        return self._cursor.tape

    @property
    def notes(self) -> Notes:
        return self._cursor.notes

    # -- events -----------------------------------------------------------------------------------

    def comment(self, byte_start: int, byte_end: int) -> None:
        self._comments += 1
        self.tape.event(byte_start, byte_end, EventKind.COMMENT)

    def named(self, name: bytes) -> None:
        """The event that comes next has a name of its own."""
        where = Where(event=len(self.tape.kind))
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
        kind = EventKind.TAIL if is_tail else EventKind.CHUNK
        parsed = json_text.parse(text)
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
            self._take_chunk(text, parsed.value)
            return
        if parsed.fatal is None:
            self.notes.add(Oddity.NOT_AN_OBJECT, Where(event=event))
        if not is_tail:
            self.tape.kind[event] = EventKind.IGNORED

    def _take_chunk(self, text: bytes, value: dict[str, Json]) -> None:
        cursor, tape = self._cursor, self.tape
        notes, (pieces, marks) = self.notes.total, tape.counts
        cursor.text = text
        has_news = self._take_object(value)
        # What is noted or marked must be so at every chunk that does it.
        is_quiet = self.notes.total == notes and tape.counts == (pieces + 1, marks)
        grown = cursor.grown if is_quiet and not self.end_marks else None
        self._take_usage_of(value)
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
        if template.choice != self._at_choice:
            self._turn_to(template.choice)
        template.text.grow(self._cursor, None, text)
        for name, value in others.items():
            if name == "usage":
                self._take_usage(value, "usage")
            else:
                self.top[name] = self._last[name] = value

    def whole(self, value: dict[str, Json], text: bytes, byte_start: int = 0) -> None:
        """A whole body: one object that says everything at once."""
        self._begin_whole(text, byte_start)
        self._cursor.is_whole = True
        self._take_object(value)
        self._take_usage_of(value)

    def array(self, values: list[Json], text: bytes) -> None:
        """A whole body that is a list: its objects are looked at together, as one event."""
        self._begin_whole(text)
        for value in values:
            if isinstance(value, dict):
                self.chunks += 1
                self._take_object(value)
                self._take_usage_of(value)

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
            self.notes.add(Oddity.TAIL, Where(event=event), "end mark")

    def _take_faults(self, parsed: json_text.Parsed, text: bytes) -> None:
        where = Where(event=self._cursor.event)
        if fatal := parsed.fatal:
            if is_elision(text):
                self.notes.add(Oddity.ELISION, where)
                return
            oddity = Oddity.BROKEN_CHUNK if text[:1] in (b"{", b"[") else Oddity.NOT_AN_OBJECT
            self.notes.add(oddity, where, fatal.kind, fatal.message)
            return
        for fault in parsed.faults:
            self.notes.add(Oddity.JSON_FAULT, where, fault.kind, fault.message)

    # -- the object of one event ------------------------------------------------------------------

    def _take_object(self, value: dict[str, Json]) -> bool:
        """All but usage; True where it says beside its choices what the last object did not."""
        last, has_news = self._last, False
        for key, item in value.items():
            if key in ("choices", "usage"):
                self.top.setdefault(key, None)
            elif key not in last or last[key] != item:
                self._take_top(key, item)
                last[key] = item
                has_news = has_news or key not in PADDING
        choices = value.get("choices")
        if isinstance(choices, list):
            for position, choice in enumerate(choices):
                self._take_choice(position, choice)
        elif choices is not None:
            self._cursor.note(Oddity.BAD_CHOICE, "/choices", "choices")
        if not choices and not self._cursor.is_whole:
            self._take_no_choice(value, choices)
        return has_news

    def _take_no_choice(self, value: dict[str, Json], choices: Json) -> None:
        if value.get("error"):
            return
        if choices is None:
            self._cursor.note(Oddity.CHOICES_MISSING, "/choices")
        elif choices == [] and not value.get("usage"):
            self._cursor.note(Oddity.EMPTY_CHOICES, "/choices")

    def _take_top(self, key: str, value: Json) -> None:
        if key in FIRST_HOLDS:
            self._take_identity(key, value)
        else:
            self.top[key] = lay_over(self.top.get(key, UNSET), value)
        if value.__class__ is dict:
            self._take_beside(key, value)
        if value is not None:
            self._take_sign(key, value)
            if key in KEPT:
                self.clocks[key] = self._cursor.found(value, (key,))

    def _take_sign(self, key: str, value: Json) -> None:
        """What tells the dialect, or that this is no answer at all."""
        if key == "error" and value:
            self._take_error(value, "/error")
        elif key in ("object", "type") and isinstance(value, str):
            signs = self._objects if key == "object" else self._types
            if len(signs) < MAX_SIGNS:
                signs.add(value)

    def _take_identity(self, key: str, value: Json) -> None:
        kept, last = self.top.get(key), self._last.get(key)
        if key == "created":
            self._take_created(value)
        if not kept:
            self.top[key] = value if value or key not in self.top else kept
        elif value and value != (last or kept):
            detail = f"{shorten(last or kept)} became {shorten(value)}"
            self._cursor.note(Oddity.FIELD_CHANGED, f"/{key}", key, detail)

    def _take_created(self, value: Json) -> None:
        """Called for every value that differs from the one before."""
        if value.__class__ is not int or not 0 < value <= MAX_COUNT:
            return
        if self.created is None:
            self.created = Created(first=value, last=value, changes=0)
        elif value != self.created.last:
            changes = self.created.changes + 1
            self.created = Created(first=self.created.first, last=value, changes=changes)

    def _take_usage_of(self, value: dict[str, Json]) -> None:
        if "usage" in value:
            self._take_usage(value["usage"], "usage")

    def _take_usage(self, value: Json, *path: str | int) -> None:
        if value is None:
            self.usage = Found(None) if self.usage.value is UNSET else self.usage
            return
        if self.usage.at is not None and value != self.usage.value:
            has_grown = is_grown(self.usage.value, value)
            oddity = Oddity.USAGE_GROWN if has_grown else Oddity.USAGE_REPEATED
            self._cursor.note(oddity, pointer_to(path))
        self.usage = self._cursor.found(value, path)
        self._cursor.mark(MarkKind.USAGE)

    def _take_beside(self, key: str, value: dict[str, Json]) -> None:
        """Inside a vendor's own object (Groq): an error; usage, if none stands elsewhere."""
        if key.startswith("x_") and value.get("error"):
            self._take_error(value["error"], pointer_to((key, "error")))
        usage = value.get("usage")
        if isinstance(usage, dict) and "prompt_tokens" in usage:
            self._usage_beside = self._cursor.found(usage, (key, "usage"))
            if self.usage.at is None:
                self._cursor.mark(MarkKind.USAGE)

    def _take_error(self, value: Json, pointer: str) -> None:
        event = self._cursor.event
        if self.tape.kind[event] is EventKind.CHUNK and not self._cursor.is_whole:
            self.tape.kind[event] = EventKind.ERROR
        self._cursor.note(Oddity.PROVIDER_ERROR, pointer, "error", error_message(value))

    # -- choices ----------------------------------------------------------------------------------

    def _take_choice(self, position: int, choice: Json) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}"
        if not isinstance(choice, dict):
            cursor.note(Oddity.BAD_CHOICE, pointer, "choice")
            return
        fold = self._choice_fold(position, choice)
        if fold.index != self._at_choice:
            self._turn_to(fold.index)
        if not cursor.is_whole:
            _note_what_lacks(cursor, choice, pointer)
        for key, value in choice.items():
            if key == "delta":
                fold.take_message(cursor, value, f"{pointer}/delta")
            elif key == "finish_reason":
                fold.take_finish(cursor, value, f"{pointer}/finish_reason")
            elif key != "index":
                self._take_choice_field(fold, key, value, position, choice)

    def _take_choice_field(
        self, fold: ChoiceFold, key: str, value: Json, position: int, choice: dict[str, Json]
    ) -> None:
        cursor, pointer = self._cursor, f"/choices/{position}/{key}"
        if key == "message":
            delta = choice.get("delta")
            if isinstance(delta, dict) and delta and not cursor.is_whole:
                cursor.note(Oddity.MESSAGE_BESIDE_DELTA, pointer)
                return
            if not cursor.is_whole:
                cursor.note(Oddity.FOREIGN_CHUNK, pointer)
            fold.take_message(cursor, value, pointer)
            return
        if key == "text" and "delta" not in choice and "message" not in choice:
            fold.take_legacy_text(cursor, value, pointer)
            return
        if key == "usage" and isinstance(value, dict):
            cursor.note(Oddity.USAGE_ON_CHOICE, pointer)
            self._take_usage(value, "choices", position, "usage")
        elif key == "error" and value:
            self._take_error(value, pointer)
        fold.take_field(cursor, key, value, position)

    def _turn_to(self, index: int) -> None:
        """Another choice goes on than in the chunk before, or one begins."""
        if self._at_choice is not None and self.choices[index].has_begun:
            self._cursor.note_once(Oddity.CHOICES_INTERLEAVED, "/choices")
        self.choices[index].has_begun = True
        self._at_choice = index

    def _choice_fold(self, position: int, choice: dict[str, Json]) -> ChoiceFold:
        index, is_whole = choice.get("index", UNSET), self._cursor.is_whole
        if index.__class__ is int and index >= 0:
            if index in self.choices and is_whole:
                self._cursor.note(Oddity.REPEATED_INDEX, f"/choices/{position}/index")
                index = self._highest_choice + 1
            elif index != position and is_whole:
                self._cursor.note(Oddity.INDEX_NOT_POSITION, f"/choices/{position}/index")
        else:
            oddity = Oddity.CHOICE_INDEX_MISSING if index in (UNSET, None) else Oddity.BAD_INDEX
            self._cursor.note(oddity, f"/choices/{position}", "choice")
            index = position if is_whole else 0
        if index not in self.choices:
            self.choices[index] = ChoiceFold(index, position)
            self._highest_choice = max(self._highest_choice, index)
        return self.choices[index]

    # -- what came out ----------------------------------------------------------------------------

    @property
    def is_event_stream(self) -> bool:
        """Something was dispatched or kept alive; plain text has neither data nor comments."""
        return self._texts + self.end_marks + self._comments > 0

    @property
    def holds_whole_answers(self) -> bool:
        return self.notes.count(Oddity.FOREIGN_CHUNK) > 1

    @property
    def found_usage(self) -> Found:
        """The last usage at one of its usual places, else the last that stood elsewhere."""
        is_usual = self.usage.at is not None or self._usage_beside.at is None
        return self.usage if is_usual else self._usage_beside

    @property
    def last_event(self) -> int:
        """The number of the last event that held a chunk; of what came before it, all others."""
        return self._cursor.event

    def ordered_choices(self) -> list[ChoiceFold]:
        return [self.choices[index] for index in sorted(self.choices)]

    def signs(self) -> Signs:
        choices = self.choices.values()
        legacy = {"text"} if any(choice.text is not None for choice in choices) else set()
        messages: set[str] = set().union(*(choice.message for choice in choices))
        return Signs(
            top=frozenset(self.top),
            choice=frozenset(legacy.union(*(choice.fields for choice in choices))),
            message=frozenset(messages),
            objects=frozenset(self._objects),
            types=frozenset(self._types),
        )

    def completion(self, object_name: str) -> dict[str, Json]:
        """What the provider would have sent whole: this stream as one object."""
        top = {name: settled(it) for name, it in self.top.items() if not _is_padding(name, it)}
        completion = top | {"object": object_name}
        if "choices" in completion:
            completion["choices"] = [choice.choice_object() for choice in self.ordered_choices()]
        if self.found_usage.value is not UNSET:
            completion["usage"] = self.found_usage.value
        return completion


def _note_what_lacks(cursor: Cursor, choice: dict[str, Json], pointer: str) -> None:
    if "finish_reason" not in choice:
        cursor.note_once(Oddity.FINISH_KEY_MISSING, f"{pointer}/finish_reason")
    if "delta" not in choice and "message" not in choice and "text" not in choice:
        cursor.note(Oddity.DELTA_MISSING, f"{pointer}/delta")


def _is_padding(name: str, value: Json) -> bool:
    """It hides the length of a chunk: no whole answer holds it. Among the extras it is kept."""
    return name in PADDING and isinstance(value, str)
