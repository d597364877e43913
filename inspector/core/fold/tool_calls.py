"""Folds tool calls, and the deprecated function call, from the entries of all events.

Calls of functions and of custom tools are joined by index; without an index, by id or position. An
entry with a new id and a name at an index in use opens another call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core.completion import ArgumentsState, FunctionCall, Json, ToolCall, is_index
from inspector.core.findings import shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.fold_context import FoldContext, GrowingText
from inspector.core.json.pointer import escape_step
from inspector.core.limits import MAX_TOOL_CALLS, Allowance, LimitedItem
from inspector.core.tape import Lane, LaneKind
from inspector.core.tool_calls.arguments import ArgumentContext, examine_arguments

BODIES = ("function", "custom")
"""Fields that hold name and arguments; which of them depends on the call's type."""


class ToolCallFold:
    """One call while its arguments grow."""

    def __init__(self, index: int, lane: Lane) -> None:
        self.index = index
        self.fields: dict[str, Json] = {}
        self.function: dict[str, Json] = {}
        self.custom: dict[str, Json] = {}
        """Fields of a custom tool call, whose input is free text."""
        self.name_pieces: list[str] = []
        """Pieces that the name was joined of, none if it came whole."""
        self.arguments = GrowingText("arguments")
        self._arguments_object: Json = None
        self._shared_from: int | None = None
        """Number of argument pieces when another id or name appeared at this index."""
        self._lane = lane

    @property
    def id(self) -> Json:
        return self.fields.get("id")

    @property
    def is_custom(self) -> bool:
        return bool(self.custom) or (self.fields.get("type") == "custom" and not self.function)

    def take(self, cursor: FoldContext, entry: Mapping[str, Json], pointer: str) -> None:
        """Take one entry of ``tool_calls``. The last id is kept, of all other fields the first
        value.
        """
        has_body = False
        for key, value in entry.items():
            if key == "function" and value.__class__ is dict:
                self.take_function(cursor, value, f"{pointer}/function")
                has_body = True
            elif key == "custom" and value.__class__ is dict:
                self._take_custom(cursor, value, pointer)
                has_body = True
            elif key != "index" and key not in BODIES:
                self._take_field(cursor, key, value, pointer)
        if not has_body:
            cursor.note(Anomaly.BAD_CALL, pointer, "function")

    def take_function(
        self, cursor: FoldContext, function: Mapping[str, Json], pointer: str
    ) -> None:
        for key, value in function.items():
            if key == "arguments":
                self._take_arguments(cursor, value, pointer)
            elif key == "name":
                self._take_name(cursor, self.function, value, pointer)
            elif not self.function.get(key):
                self.function[key] = value

    def _take_name(
        self, cursor: FoldContext, body: dict[str, Json], value: Json, pointer: str
    ) -> None:
        """Join a name that comes in pieces. One that differs after the arguments began is another
        name, and the first is kept.
        """
        kept = body.get("name")
        if not kept:
            body["name"] = value
            return
        if not value or value == kept:
            return
        subject, pointer = str(self.index), f"{pointer}/name"
        is_text = isinstance(kept, str) and isinstance(value, str)
        if not is_text or any(self.arguments.parts):
            detail = f"{shorten(kept)} became {shorten(value)}"
            cursor.note(Anomaly.CALL_NAME_CHANGED, pointer, subject, detail)
            self._share()
            return
        cursor.note(Anomaly.CALL_NAME_IN_PIECES, pointer, subject)
        self.name_pieces = [*(self.name_pieces or [kept]), value]
        body["name"] = value if value.startswith(kept) else kept + value

    def _take_custom(self, cursor: FoldContext, custom: Mapping[str, Json], pointer: str) -> None:
        for key, value in custom.items():
            if key == "input" and isinstance(value, str):
                self.custom.setdefault(key, "")
                self.arguments.grow(cursor, self._lane, value)
            elif key == "name":
                self._take_name(cursor, self.custom, value, f"{pointer}/custom")
            elif not self.custom.get(key):
                self.custom[key] = value
                if key == "input" and value is not None:
                    cursor.note(Anomaly.BAD_CALL, f"{pointer}/custom/input", "input")

    def _take_field(self, cursor: FoldContext, key: str, value: Json, pointer: str) -> None:
        kept = self.fields.get(key)
        if not kept:
            self.fields[key] = value
        elif key == "id" and value and value != kept:
            cursor.note(
                Anomaly.CALL_ID_CHANGED,
                pointer,
                str(self.index),
                f"{shorten(kept)} became {shorten(value)}",
            )
            self.fields[key] = value
            self._share()

    def _share(self) -> None:
        if self._shared_from is None:
            self._shared_from = len(self.arguments.parts)

    def _take_arguments(self, cursor: FoldContext, value: Json, pointer: str) -> None:
        self.function.setdefault("arguments", None if value is None else "")
        if isinstance(value, str):
            self.arguments.grow(cursor, self._lane, value)
        elif value is not None:
            # Arguments must be a string (the reasoning reference). Another value is kept and shown
            # as the JSON it is.
            pointer = f"{pointer}/arguments"
            cursor.note(Anomaly.OBJECT_ARGUMENTS, pointer)
            self._arguments_object = value
            steps = pointer.split("/")[1:]
            raw = cursor.spelt_at(tuple(int(it) if it.isdigit() else it for it in steps)) or b""
            self.arguments.grow(cursor, self._lane, raw.decode(errors="replace"))

    def entry(self) -> dict[str, Json]:
        """The call as a whole completion would contain it."""
        bodies = {"function": self.function_entry(), "custom": self._custom_entry()}
        return self.fields | {name: body for name, body in bodies.items() if body}

    def function_entry(self) -> dict[str, Json]:
        if self._arguments_object is not None:
            return {**self.function, "arguments": self._arguments_object}
        if self.arguments.parts and not self.custom:
            return {**self.function, "arguments": self.arguments.text()}
        return dict(self.function)

    def _custom_entry(self) -> dict[str, Json]:
        grown = {"input": self.arguments.text()} if self.arguments.parts else {}
        return {**self.custom, **grown} if self.custom else {}

    def tool_call(self, allowance: Allowance, *, at_limit: bool) -> ToolCall:
        """Return the value of the call. ``at_limit``: the choice ended at its length limit."""
        body = self.custom or self.function
        extras = (
            _extras("", self.fields, {"id", "type"}, {"id", "type"})
            | _extras("/function", self.function, {"name", "arguments"}, {"name"})
            | _extras("/custom", self.custom, {"name", "input"}, {"name"})
        )
        return ToolCall(
            index=self.index,
            id=text_or_null(self.fields.get("id", UNSET)),
            type=text_or_null(self.fields.get("type", UNSET)),
            name=text_or_null(body.get("name", UNSET)),
            **self._read_body(at_limit=at_limit),
            extras=allowance.first(LimitedItem.UNKNOWN_FIELDS, extras),
        )

    def function_call(self, *, at_limit: bool) -> FunctionCall:
        return FunctionCall(
            name=text_or_null(self.function.get("name", UNSET)),
            **self._read_body(at_limit=at_limit),
            extras=_extras("/function_call", _only_name(self.function), {"name"}, {"name"}),
        )

    def _read_body(self, *, at_limit: bool) -> dict[str, Any]:
        """Fields about name and arguments, which ``ToolCall`` and ``FunctionCall`` share."""
        text = self.arguments.text()
        named = {"name_pieces": tuple(self.name_pieces)}
        if self.is_custom:
            return named | {"arguments_text": text, "arguments_state": ArgumentsState.FREE_TEXT}
        clues = ArgumentContext(self.arguments.parts, self._shared_from, at_limit)
        found = examine_arguments(text, clues)
        return named | {
            "arguments_text": text,
            "arguments_state": found.state,
            "arguments_cause": found.cause,
            "invalid_at": found.invalid_at,
            "invalid_at_byte": found.invalid_at_byte,
        }


class ToolCallsFold:
    """The tool calls of one choice, in the order in which they were opened."""

    def __init__(self, choice: int) -> None:
        self._choice = choice
        self._by_index: dict[int, ToolCallFold] = {}
        self._by_id: dict[str, ToolCallFold] = {}
        self._highest_index = -1
        self.calls: list[ToolCallFold] = []
        self.last_lane: int | None = None
        """The lane to which arguments were added last."""

    def take(self, cursor: FoldContext, entries: list[Json], pointer: str) -> None:
        """Take all entries of one event."""
        for position, entry in enumerate(entries[:MAX_TOOL_CALLS]):
            place = position if len(entries) > 1 else None
            at = f"{pointer}/{position}"
            if isinstance(entry, dict):
                self._take_entry(cursor, place, entry, at)
            else:
                cursor.note(Anomaly.BAD_CALL, at, "tool call")
        beyond = max(len(entries) - MAX_TOOL_CALLS, 0)
        cursor.allowance.leave_out(LimitedItem.TOOL_CALLS, beyond)

    def _take_entry(
        self, cursor: FoldContext, place: int | None, entry: Mapping[str, Json], pointer: str
    ) -> None:
        call = self._call(cursor, place, entry, pointer)
        if call is None:
            return
        call.take(cursor, entry, pointer)
        if isinstance(call.id, str):
            self._by_id.setdefault(call.id, call)
        if call.arguments.lane is not None:
            self.last_lane = call.arguments.lane

    def _call(
        self, cursor: FoldContext, place: int | None, entry: Mapping[str, Json], pointer: str
    ) -> ToolCallFold | None:
        """Find or open the call of an entry; None if there are too many calls."""
        # In a whole body every entry is a call of its own, whatever index or id it states.
        if cursor.is_whole:
            return self._open(cursor, len(self.calls))
        index = entry.get("index", UNSET)
        if is_index(index):
            call = self._by_index.get(index)
            if call is not None and _starts_another(call, entry):
                cursor.note(Anomaly.CALL_INDEX_REPEATED, pointer)
                call = None
            return self._open(cursor, index) if call is None else call
        oddity = Anomaly.CALL_INDEX_MISSING if index in (UNSET, None) else Anomaly.BAD_INDEX
        cursor.note(oddity, pointer, "tool call")
        return self._without_index(cursor, place, entry)

    def _without_index(
        self, cursor: FoldContext, place: int | None, entry: Mapping[str, Json]
    ) -> ToolCallFold | None:
        """Find the call by id. Without an id, by position if the event has several entries; a
        single entry continues the last call.
        """
        if (id_ := entry.get("id")) and isinstance(id_, str):
            same = self._by_id.get(id_)
        else:
            at = -1 if place is None else place
            same = self.calls[at] if at < len(self.calls) and self.calls else None
            same = None if same is not None and _has_another_name(same, entry) else same
        return same or self._open(cursor, self._highest_index + 1)

    def _open(self, cursor: FoldContext, index: int) -> ToolCallFold | None:
        if not cursor.allowance.admits(LimitedItem.TOOL_CALLS):
            return None
        self._highest_index = max(self._highest_index, index)
        lane = Lane(self._choice, LaneKind.TOOL_CALL, len(self.calls))
        call = self._by_index[index] = ToolCallFold(index, lane)
        self.calls.append(call)
        return call


def text_or_null(value: Json) -> Any:
    """Return a text or null as sent; a value of another type counts as not sent."""
    return value if value is UNSET or value is None or isinstance(value, str) else UNSET


def _starts_another(call: ToolCallFold, entry: Mapping[str, Json]) -> bool:
    id_ = entry.get("id")
    return bool(id_ and call.id and id_ != call.id and _name(entry))


def _has_another_name(call: ToolCallFold, entry: Mapping[str, Json]) -> bool:
    name = _name(entry)
    kept = call.function.get("name") or call.custom.get("name")
    return bool(name and kept and name != kept)


def _name(entry: Mapping[str, Json]) -> Json:
    bodies = (entry.get(name) for name in BODIES)
    return next((body.get("name") for body in bodies if isinstance(body, dict)), None)


def _only_name(body: Mapping[str, Json]) -> dict[str, Json]:
    return {"name": body["name"]} if "name" in body else {}


def is_odd_text(value: Json) -> bool:
    """True for a value in the place of a text; it goes to the extras."""
    return value is not None and not isinstance(value, str)


def _extras(
    prefix: str, fields: Mapping[str, Json], known: set[str], texts: set[str]
) -> dict[str, Json]:
    """Fields that no document defines, and those of ``texts`` that hold no text."""
    return {
        f"{prefix}/{escape_step(key)}": value
        for key, value in fields.items()
        if key not in known or (key in texts and is_odd_text(value))
    }
