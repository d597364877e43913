"""Tool calls, and the legacy function call, put together from what events give them.

Calls are joined by index; where the index is missing, by id or place. A new id together with a
name, at an index in use, opens another call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import UNSET

from inspector.core import json_text
from inspector.core.completion import ArgumentsState, FunctionCall, Json, ToolCall
from inspector.core.cursor import Cursor, GrowingText, shorten
from inspector.core.notes import Oddity
from inspector.core.tape import Lane, LaneKind

BREAKS_ARGUMENTS = json_text.FATAL | {json_text.FaultKind.NUMBER_OUT_OF_RANGE}


class CallFold:
    """One call while its arguments grow."""

    def __init__(self, index: int, lane: Lane) -> None:
        self.index = index
        self.fields: dict[str, Json] = {}
        self.function: dict[str, Json] = {}
        self.arguments = GrowingText("arguments")
        self._arguments_object: Json = None
        self._lane = lane

    @property
    def id(self) -> Json:
        return self.fields.get("id")

    def take(self, cursor: Cursor, entry: Mapping[str, Json], pointer: str) -> None:
        """One entry of ``tool_calls``: of id the last value holds, of the rest the first."""
        if self.id and entry.get("id") and self.id != entry["id"]:
            detail = f"{shorten(self.id)} became {shorten(entry['id'])}"
            cursor.note(Oddity.CALL_ID_CHANGED, pointer, str(self.index), detail)
        for key, value in entry.items():
            if key not in ("index", "function") and (
                not self.fields.get(key) or (key == "id" and value)
            ):
                self.fields[key] = value
        function = entry.get("function")
        if isinstance(function, dict):
            self.take_function(cursor, function, f"{pointer}/function")
        elif "function" in entry or "custom" not in entry:
            cursor.note(Oddity.BAD_CALL, pointer, "function")

    def take_function(self, cursor: Cursor, function: Mapping[str, Json], pointer: str) -> None:
        for key, value in function.items():
            if key == "arguments":
                self._take_arguments(cursor, value, f"{pointer}/arguments")
            elif not self.function.get(key):
                self.function[key] = value

    def _take_arguments(self, cursor: Cursor, value: Json, pointer: str) -> None:
        self.function.setdefault("arguments", None if value is None else "")
        if isinstance(value, str):
            self.arguments.grow(cursor, self._lane, value)
        elif value is not None:
            # Text is due (002). What was sent is kept as it is and shown as the JSON it was.
            cursor.note(Oddity.OBJECT_ARGUMENTS, pointer)
            self._arguments_object = value
            path = [int(step) if step.isdigit() else step for step in pointer.split("/")[1:]]
            raw = json_text.raw_at(cursor.text, path) or b""
            self.arguments.grow(cursor, self._lane, raw.decode(errors="replace"))

    def entry(self) -> dict[str, Json]:
        """The call as a whole completion would hold it."""
        return self.fields | ({"function": self.function_entry()} if self.function else {})

    def function_entry(self) -> dict[str, Json]:
        if self._arguments_object is not None:
            return {**self.function, "arguments": self._arguments_object}
        if self.arguments.parts:
            return {**self.function, "arguments": self.arguments.text()}
        return dict(self.function)

    def tool_call(self) -> ToolCall:
        state, invalid_at = arguments_state(self.arguments.text())
        return ToolCall(
            index=self.index,
            id=text_or_null(self.fields.get("id", UNSET)),
            type=text_or_null(self.fields.get("type", UNSET)),
            name=text_or_null(self.function.get("name", UNSET)),
            arguments_text=self.arguments.text(),
            arguments_state=state,
            invalid_at=invalid_at,
            extras=_extras("", self.fields, {"id", "type"})
            | _extras("/function", self.function, {"name", "arguments"}),
        )

    def function_call(self) -> FunctionCall:
        state, invalid_at = arguments_state(self.arguments.text())
        return FunctionCall(
            name=text_or_null(self.function.get("name", UNSET)),
            arguments_text=self.arguments.text(),
            arguments_state=state,
            invalid_at=invalid_at,
        )


class CallsFold:
    """The tool calls of one choice, in the order in which they were opened."""

    def __init__(self, choice: int) -> None:
        self._choice = choice
        self._by_index: dict[int, CallFold] = {}
        self.calls: list[CallFold] = []

    def take(self, cursor: Cursor, entries: list[Json], pointer: str) -> None:
        """All entries that one event gave."""
        for position, entry in enumerate(entries):
            place = position if len(entries) > 1 else None
            at = f"{pointer}/{position}"
            if isinstance(entry, dict):
                self._call(cursor, place, entry, at).take(cursor, entry, at)
            else:
                cursor.note(Oddity.BAD_CALL, at, "tool call")

    def _call(
        self, cursor: Cursor, place: int | None, entry: Mapping[str, Json], pointer: str
    ) -> CallFold:
        if cursor.is_whole:
            return self._open(len(self.calls))
        index = entry.get("index", UNSET)
        if index.__class__ is int and index >= 0:
            call = self._by_index.get(index)
            return self._open(index) if call is None or _starts_another(call, entry) else call
        oddity = Oddity.CALL_INDEX_MISSING if index in (UNSET, None) else Oddity.BAD_INDEX
        cursor.note(oddity, pointer, "tool call")
        return self._without_index(place, entry)

    def _without_index(self, place: int | None, entry: Mapping[str, Json]) -> CallFold:
        """By id; without id by place among the entries of the event, alone the one opened last."""
        if id_ := entry.get("id"):
            same = next((call for call in self.calls if call.id == id_), None)
        else:
            same = next(iter(self.calls[-1:] if place is None else self.calls[place:]), None)
            same = None if same is not None and _has_another_name(same, entry) else same
        return same or self._open(max(self._by_index, default=-1) + 1)

    def _open(self, index: int) -> CallFold:
        lane = Lane(self._choice, LaneKind.TOOL_CALL, len(self.calls))
        call = self._by_index[index] = CallFold(index, lane)
        self.calls.append(call)
        return call


def arguments_state(text: str) -> tuple[ArgumentsState, int | None]:
    """What a call's argument text is, and its first breaking character."""
    if not text:
        return ArgumentsState.EMPTY, None
    faults = json_text.parse(text.encode(errors="replace")).faults
    fault = next((fault for fault in faults if fault.kind in BREAKS_ARGUMENTS), None)
    if fault is None:
        return ArgumentsState.VALID, None
    cut = fault.kind is json_text.FaultKind.TRUNCATED
    return (ArgumentsState.TRUNCATED if cut else ArgumentsState.INVALID), fault.character


def text_or_null(value: Json) -> Any:
    """A text or null as it was sent; a value of another type counts as not sent."""
    return value if value is UNSET or value is None or isinstance(value, str) else UNSET


def _starts_another(call: CallFold, entry: Mapping[str, Json]) -> bool:
    function = entry.get("function")
    is_named = isinstance(function, dict) and function.get("name")
    id_ = entry.get("id")
    return bool(is_named and id_ and call.id and id_ != call.id)


def _has_another_name(call: CallFold, entry: Mapping[str, Json]) -> bool:
    function = entry.get("function")
    name = function.get("name") if isinstance(function, dict) else None
    kept = call.function.get("name")
    return bool(name and kept and name != kept)


def _extras(prefix: str, fields: Mapping[str, Json], known: set[str]) -> dict[str, Json]:
    return {f"{prefix}/{key}": value for key, value in fields.items() if key not in known}
