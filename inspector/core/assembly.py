"""Events to choices and tape: one fold, which never needs to know the dialect.

Rules of joining (docs/architecture.md): text is concatenated per choice; tool calls are joined by
index; of ``id``, ``created``, ``model``, ``system_fingerprint`` and ``service_tier`` the first
value that is neither null, "" nor 0 holds, of finish reason and usage the last; unknown fields stay
at their level. Nothing is sized by an index that came from outside, and no number is added up.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from inspector.core import json_text
from inspector.core.completion import Json
from inspector.core.dialects.dialect import Signs
from inspector.core.facts import error_message
from inspector.core.findings import Where
from inspector.core.message import (
    REASONING_NAMES,
    TEXT_LANES,
    CallFold,
    ChoiceFold,
    GrowingText,
    gather,
)
from inspector.core.notes import Notes, Oddity
from inspector.core.tape import EventKind, LaneKind, MarkKind, TapeBuilder

FIRST_HOLDS = frozenset({"id", "created", "model", "system_fingerprint", "service_tier"})
END_MARK = b"[DONE]"
MAX_TYPES = 64


class Assembly:
    """Feed it events in order; read the choices, the tape and the notes at any time."""

    def __init__(self) -> None:
        self.notes = Notes()
        self.tape = TapeBuilder()
        self.top: dict[str, Json] = {}
        self.choices: dict[int, ChoiceFold] = {}
        self.usage: Json = UNSET
        self.usage_at: int | str | None = None
        self.usage_events = 0
        self.chunks = 0
        self.comments = 0
        self.ended_at: int | None = None
        self.end_marks = 0
        self._objects: set[str] = set()
        self._types: set[str] = set()
        self._event = 0
        self._bytes = b""
        self._whole = False
        self._has_data = False

    # -- events ---------------------------------------------------------------------------------

    def comment(self, byte_start: int, byte_end: int) -> None:
        self.comments += 1
        self.tape.event(byte_start, byte_end, EventKind.COMMENT)

    def ignored(self, byte_start: int, byte_end: int, oddity: Oddity, subject: str) -> None:
        event = self.tape.event(byte_start, byte_end, EventKind.IGNORED)
        self.notes.add(oddity, Where(event=event), subject)

    def event(self, byte_start: int, byte_end: int, text: bytes, *, tail: bool = False) -> None:
        """One event with data: an end mark, a chunk, or something that is neither."""
        kind = EventKind.TAIL if tail else EventKind.CHUNK
        if text[:1] != b"{" and text.strip() == END_MARK:
            self._end(byte_start, byte_end, text, tail)
            return
        self._has_data = True
        parsed = json_text.parse(text)
        self._event = event = self.tape.event(byte_start, byte_end, kind)
        if self.end_marks:
            self.notes.add(Oddity.EVENT_AFTER_END_MARK, Where(event=event))
        if parsed.faults:
            self._faults(parsed, text)
        if parsed.value.__class__ is dict:
            self.chunks += 1
            self._bytes = text
            self._object(parsed.value)
            return
        if not parsed.fatal:
            self.notes.add(Oddity.NOT_AN_OBJECT, Where(event=event))
        if not tail:
            self.tape.kind[event] = EventKind.IGNORED

    def _end(self, byte_start: int, byte_end: int, text: bytes, tail: bool) -> None:
        kind = EventKind.TAIL if tail else EventKind.END_MARK
        event = self.tape.event(byte_start, byte_end, kind)
        self.end_marks += 1
        self.ended_at = event
        if text != END_MARK:
            self.notes.add(Oddity.PADDED_END_MARK, Where(event=event))

    def _faults(self, parsed: json_text.Parsed, text: bytes) -> None:
        where = Where(event=self._event)
        if fatal := parsed.fatal:
            broken = text[:1] in b"{[" and fatal is not None
            oddity = Oddity.BROKEN_CHUNK if broken else Oddity.NOT_AN_OBJECT
            self.notes.add(oddity, where, fatal.kind, fatal.message)
            return
        for fault in parsed.faults:
            self.notes.add(Oddity.JSON_FAULT, where, fault.kind, fault.message)

    def whole(self, value: dict[str, Json], text: bytes) -> None:
        """A whole body: one object that says everything at once."""
        self._whole = True
        self._bytes = text
        self._event = self.tape.event(0, len(text), EventKind.CHUNK)
        self._object(value)

    def array(self, values: list[Json], text: bytes) -> None:
        """A whole body that is a list: its objects are looked at together, as one event."""
        self._event = self.tape.event(0, len(text), EventKind.CHUNK)
        self._bytes = text
        for value in values:
            if isinstance(value, dict):
                self.chunks += 1
                self._object(value)

    def note_fault(self, fault: json_text.Fault) -> None:
        where = Where(byte_start=fault.byte, byte_end=fault.byte + 1) if fault.byte else Where()
        self.notes.add(Oddity.JSON_FAULT, where, fault.kind, fault.message)

    def note_tail(self) -> None:
        self.notes.add(Oddity.TAIL, Where(event=len(self.tape.kind) - 1))

    def several_documents(self, length: int) -> None:
        self.notes.add(Oddity.SEVERAL_DOCUMENTS, Where(byte_start=0, byte_end=length))

    @property
    def has_events(self) -> bool:
        """Something was dispatched or kept alive; plain text has neither data nor comments."""
        return self.chunks + self.end_marks + self.comments > 0 or self._has_data

    @property
    def holds_whole_answers(self) -> bool:
        return self.notes.count(Oddity.FOREIGN_CHUNK) > 1

    # -- the object of one event ----------------------------------------------------------------

    def _object(self, value: dict[str, Json]) -> None:
        top = self.top
        for key, item in value.items():
            if key == "choices":
                top.setdefault(key, None)
            elif key not in top or top[key] != item:
                self._top(key, item)
        choices = value.get("choices")
        if choices.__class__ is list:
            for position, choice in enumerate(choices):
                self._choice(position, choice)
        elif choices is not None:
            self.notes.add(Oddity.BAD_CHOICE, self._where("/choices"), "choices")

    def _top(self, key: str, value: Json) -> None:
        if key == "usage":
            self.top.setdefault(key, None)
            self._usage(value, "/usage")
        elif key in FIRST_HOLDS:
            self._first_holds(key, value)
        elif isinstance(value, dict) and isinstance(self.top.get(key), dict):
            self.top[key] = self.top[key] | value
        elif value is not None or key not in self.top:
            self.top[key] = value
        if value is None:
            return
        if key == "error":
            self._provider_error(value, "/error")
        elif key == "object" and isinstance(value, str):
            self._note_value(self._objects, value)
        elif key == "type" and isinstance(value, str):
            self._note_value(self._types, value)

    def _note_value(self, values: set[str], value: str) -> None:
        if len(values) < MAX_TYPES:
            values.add(value)

    def _first_holds(self, key: str, value: Json) -> None:
        kept = self.top.get(key)
        if not kept:
            self.top[key] = value if value or key not in self.top else kept
        elif value:
            detail = f"{_short(kept)} became {_short(value)}"
            self.notes.add(Oddity.FIELD_CHANGED, self._where(f"/{key}"), key, detail)

    def _usage(self, value: Json, pointer: str) -> None:
        if value is None:
            self.usage = None if self.usage is UNSET else self.usage
            return
        if self.usage_events and value != self.usage:
            self.notes.add(Oddity.USAGE_REPEATED, self._where(pointer))
        self.usage_events += 1
        self.usage = value
        self.usage_at = pointer if self._whole else self._event
        self.tape.mark(self._event, None, MarkKind.USAGE)

    def _provider_error(self, value: Json, pointer: str) -> None:
        if self.tape.kind[self._event] is EventKind.CHUNK and not self._whole:
            self.tape.kind[self._event] = EventKind.ERROR
        self.notes.add(Oddity.PROVIDER_ERROR, self._where(pointer), "error", error_message(value))

    # -- choices --------------------------------------------------------------------------------

    def _choice(self, position: int, choice: Json) -> None:
        pointer = f"/choices/{position}"
        if not isinstance(choice, dict):
            self.notes.add(Oddity.BAD_CHOICE, self._where(pointer), "choice")
            return
        fold = self._choice_fold(position, choice)
        in_message = "delta" in choice or "message" in choice
        for key, value in choice.items():
            if key == "index":
                continue
            if key == "delta" or key == "message":
                self._message(fold, value, pointer, key)
            elif key == "finish_reason":
                self._finish(fold, value, pointer)
            elif key == "text" and not in_message:
                self._legacy_text(fold, value, pointer)
            else:
                self._choice_field(fold, key, value, position)

    def _choice_fold(self, position: int, choice: dict[str, Json]) -> ChoiceFold:
        index = choice.get("index", UNSET)
        if index.__class__ is int and index >= 0:
            fold = self.choices.get(index)
            if fold is not None and self._whole:
                self.notes.add(Oddity.REPEATED_INDEX, self._where(f"/choices/{position}/index"))
                return self._open(max(self.choices) + 1)
            return fold or self._open(index)
        oddity = Oddity.CHOICE_INDEX_MISSING if index in (UNSET, None) else Oddity.BAD_INDEX
        self.notes.add(oddity, self._where(f"/choices/{position}"), "choice")
        index = position if self._whole else 0
        return self.choices.get(index) or self._open(index)

    def _open(self, index: int) -> ChoiceFold:
        fold = self.choices[index] = ChoiceFold(index)
        return fold

    def _finish(self, fold: ChoiceFold, value: Json, pointer: str) -> None:
        if value is None or value == "":
            fold.fields.setdefault("finish_reason", value)
            return
        if fold.finished_at is not None:
            self.notes.add(
                Oddity.FINISH_REPEATED, self._where(f"{pointer}/finish_reason"), str(fold.index)
            )
        fold.fields["finish_reason"] = value
        fold.finished_at = self._event
        self.tape.mark(self._event, fold.any_lane(), MarkKind.FINISH)

    def _legacy_text(self, fold: ChoiceFold, value: Json, pointer: str) -> None:
        if fold.text is None:
            fold.text = GrowingText()
        if isinstance(value, str):
            self._grow(fold, fold.text, LaneKind.TEXT, value, pointer)
        elif value is not None:
            self.notes.add(Oddity.BAD_CONTENT, self._where(f"{pointer}/text"), "text")

    def _choice_field(self, fold: ChoiceFold, key: str, value: Json, position: int) -> None:
        if key == "logprobs" and isinstance(value, dict):
            gather(fold.fields, key, value)
            return
        if key == "usage" and isinstance(value, dict):
            self.notes.add(Oddity.USAGE_ON_CHOICE, self._where(f"/choices/{position}/usage"))
            self._usage(value, f"/choices/{position}/usage")
        elif key == "error" and value is not None:
            self._provider_error(value, f"/choices/{position}/error")
        if value is not None or key not in fold.fields:
            fold.fields[key] = value
        if key in ("cost_usd", "duration_seconds") and value.__class__ in (int, float):
            raw = json_text.raw_at(self._bytes, ("choices", position, key))
            fold.decimals[key] = raw.decode() if raw else str(value)

    # -- messages -------------------------------------------------------------------------------

    def _message(self, fold: ChoiceFold, delta: Json, pointer: str, name: str) -> None:
        if delta.__class__ is not dict:
            self.notes.add(Oddity.BAD_DELTA, self._where(f"{pointer}/{name}"), name)
            return
        if not self._whole and name == "message":
            self.notes.add(Oddity.FOREIGN_CHUNK, self._where(f"{pointer}/message"), "message")
        message = fold.message
        for key, value in delta.items():
            if value.__class__ is str and key in TEXT_LANES:
                message.setdefault(key, None)
                text = fold.texts.get(key)
                if text is None:
                    text = fold.texts[key] = GrowingText()
                if value and key in REASONING_NAMES and fold.reasoning_name is None:
                    fold.reasoning_name = key
                drawn = key not in REASONING_NAMES or key == fold.reasoning_name
                self._grow(fold, text, TEXT_LANES[key] if drawn else None, value, pointer)
            else:
                self._message_field(fold, key, value, f"{pointer}/{name}")

    def _grow(
        self, fold: ChoiceFold, text: GrowingText, kind: LaneKind | None, value: str, pointer: str
    ) -> None:
        text.parts.append(value)
        if not value or kind is None:
            return
        if text.lane is None:
            text.lane = fold.open_lane(kind, self.tape)
        self.tape.piece(self._event, text.lane, value)
        if fold.finished_at is not None and not self._whole:
            self._after_finish(fold, pointer)

    def _after_finish(self, fold: ChoiceFold, pointer: str) -> None:
        # Text and finish reason often come in one event, in either order of their keys.
        if fold.finished_at != self._event:
            self.notes.add(Oddity.CONTENT_AFTER_FINISH, self._where(pointer), str(fold.index))

    def _message_field(self, fold: ChoiceFold, key: str, value: Json, pointer: str) -> None:
        if key == "role":
            self._role(fold, value)
        elif key == "tool_calls" and isinstance(value, list):
            fold.message.setdefault(key, None)
            for position, entry in enumerate(value):
                self._call(fold, position, entry, f"{pointer}/tool_calls/{position}")
        elif key == "function_call" and isinstance(value, dict):
            fold.message.setdefault(key, None)
            call = fold.function_call = fold.function_call or CallFold(0, 0)
            self._function(fold, call, value, pointer, LaneKind.FUNCTION_CALL)
        elif key == "content" and isinstance(value, list):
            self._content_parts(fold, value, pointer)
        elif key in TEXT_LANES or key in ("tool_calls", "function_call"):
            self._odd_field(fold, key, value, pointer)
        else:
            gather(fold.message, key, value)

    def _odd_field(self, fold: ChoiceFold, key: str, value: Json, pointer: str) -> None:
        """A null that adds nothing, or a value of a type that no document gives this field."""
        fold.message.setdefault(key, value)
        if value is not None:
            fold.message[key] = value
            self.notes.add(Oddity.BAD_CONTENT, self._where(f"{pointer}/{key}"), key)

    def _role(self, fold: ChoiceFold, value: Json) -> None:
        kept = fold.message.get("role")
        if not kept:
            fold.message["role"] = value
            if value:
                self.tape.mark(self._event, fold.any_lane(), MarkKind.ROLE)
        elif value and value != kept:
            detail = f"{_short(kept)} became {_short(value)}"
            self.notes.add(Oddity.ROLE_CHANGED, Where(event=self._event), str(fold.index), detail)

    def _content_parts(self, fold: ChoiceFold, parts: list[Json], pointer: str) -> None:
        """Content sent as a list: its texts grow content, its thinking grows reasoning."""
        fold.message.setdefault("content", None)
        fold.content_parts = [*(fold.content_parts or []), *parts]
        for part in parts:
            kind, text = part_text(part)
            if text is None:
                self.notes.add(Oddity.BAD_CONTENT, self._where(f"{pointer}/content"), "content")
                continue
            name = "content" if kind is LaneKind.CONTENT else "reasoning_content"
            if kind is LaneKind.REASONING:
                fold.reasoning_name = fold.reasoning_name or name
            grown = fold.texts.setdefault(name, GrowingText())
            self._grow(fold, grown, kind, text, pointer)

    # -- tool calls -----------------------------------------------------------------------------

    def _call(self, fold: ChoiceFold, position: int, entry: Json, pointer: str) -> None:
        if not isinstance(entry, dict):
            self.notes.add(Oddity.BAD_CALL, self._where(pointer), "tool call")
            return
        call = self._call_fold(fold, position, entry, pointer)
        if call.id and entry.get("id") and call.id != entry["id"]:
            detail = f"{_short(call.id)} became {_short(entry['id'])}"
            self.notes.add(Oddity.CALL_ID_CHANGED, self._where(pointer), str(call.index), detail)
        call.name(entry)
        function = entry.get("function")
        if isinstance(function, dict):
            self._function(fold, call, function, f"{pointer}/function", LaneKind.TOOL_CALL)
        elif "function" in entry or "custom" not in entry:
            self.notes.add(Oddity.BAD_CALL, self._where(pointer), "function")

    def _call_fold(
        self, fold: ChoiceFold, position: int, entry: dict[str, Json], pointer: str
    ) -> CallFold:
        if self._whole:
            return self._open_call(fold, len(fold.calls))
        index = entry.get("index", UNSET)
        if index.__class__ is int and index >= 0:
            call = fold.calls_by_index.get(index)
            if call is None or _starts_another(call, entry):
                return self._open_call(fold, index)
            return call
        oddity = Oddity.CALL_INDEX_MISSING if index in (UNSET, None) else Oddity.BAD_INDEX
        self.notes.add(oddity, self._where(pointer), "tool call")
        return self._call_without_index(fold, position, entry)

    def _call_without_index(
        self, fold: ChoiceFold, position: int, entry: dict[str, Json]
    ) -> CallFold:
        """Join by id; a new id opens a call; without id, by its position in this event."""
        id_ = entry.get("id")
        if id_:
            same = next((call for call in fold.calls if call.id == id_), None)
            return same or self._open_call(fold, len(fold.calls))
        if not fold.calls:
            return self._open_call(fold, 0)
        return fold.calls[position] if position < len(fold.calls) else fold.calls[-1]

    def _open_call(self, fold: ChoiceFold, index: int) -> CallFold:
        call = CallFold(len(fold.calls), index)
        fold.calls.append(call)
        fold.calls_by_index[index] = call
        return call

    def _function(
        self,
        fold: ChoiceFold,
        call: CallFold,
        function: dict[str, Json],
        pointer: str,
        kind: LaneKind,
    ) -> None:
        for key, value in function.items():
            if key != "arguments":
                if not call.function.get(key):
                    call.function[key] = value
                continue
            call.function.setdefault(key, value if value is None else "")
            if isinstance(value, str):
                self._arguments(fold, call, value, pointer, kind)
            elif value is not None:
                self._object_arguments(fold, call, value, pointer, kind)

    def _arguments(
        self, fold: ChoiceFold, call: CallFold, value: str, pointer: str, kind: LaneKind
    ) -> None:
        call.arguments.parts.append(value)
        if not value:
            return
        if call.arguments.lane is None:
            owner = call if kind is LaneKind.TOOL_CALL else None
            call.arguments.lane = fold.open_lane(kind, self.tape, owner)
        self.tape.piece(self._event, call.arguments.lane, value)
        if fold.finished_at is not None and not self._whole:
            self._after_finish(fold, pointer)

    def _object_arguments(
        self, fold: ChoiceFold, call: CallFold, value: Json, pointer: str, kind: LaneKind
    ) -> None:
        """An object where 002 promises text: shown as the JSON that was sent, kept as object."""
        self.notes.add(Oddity.OBJECT_ARGUMENTS, self._where(f"{pointer}/arguments"))
        call.arguments_object = value
        path = [int(p) if p.isdigit() else p for p in f"{pointer}/arguments".split("/")[1:]]
        raw = json_text.raw_at(self._bytes, path) or b""
        self._arguments(fold, call, raw.decode(errors="replace"), pointer, kind)

    # -- what came out --------------------------------------------------------------------------

    def _where(self, pointer: str) -> Where:
        return Where(pointer=pointer, event=None if self._whole else self._event)

    def signs(self) -> Signs:
        choices = self.choices.values()
        legacy = {"text"} if any(choice.text is not None for choice in choices) else set()
        return Signs(
            top=frozenset(self.top),
            choice=frozenset(legacy.union(*(choice.fields for choice in choices))),
            message=frozenset(set().union(*(choice.message for choice in choices))),
            objects=frozenset(self._objects),
            types=frozenset(self._types),
        )

    def completion(self, object_name: str) -> dict[str, Json]:
        """What the provider would have sent whole: this stream as one object."""
        completion = dict(self.top)
        if "object" in completion or object_name:
            completion["object"] = object_name or completion.get("object")
        if "choices" in completion:
            ordered = sorted(self.choices.values(), key=lambda choice: choice.index)
            completion["choices"] = [choice.choice_object() for choice in ordered]
        if self.usage is not UNSET:
            completion["usage"] = self.usage
        return completion


def part_text(part: Json) -> tuple[LaneKind, str | None]:
    """The lane and text of one content part; the text is None where the part has none."""
    if not isinstance(part, dict):
        return LaneKind.CONTENT, None
    if part.get("type") == "thinking":
        return LaneKind.REASONING, _joined(part.get("thinking"))
    return LaneKind.CONTENT, _joined(part.get("text", ""))


def _joined(value: Json) -> str | None:
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return None
    return "".join(part_text(part)[1] or "" for part in value)


def _starts_another(call: CallFold, entry: dict[str, Json]) -> bool:
    """A new id together with a name, at an index in use, is another call (index collision)."""
    function = entry.get("function")
    named = isinstance(function, dict) and function.get("name")
    id_ = entry.get("id")
    return bool(named and id_ and call.id and id_ != call.id)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:60] + "…"
