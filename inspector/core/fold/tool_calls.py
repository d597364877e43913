"""Folds tool calls, and the deprecated function call, from the entries of all events.

Calls of functions and of custom tools are joined by index; without an index, by id or position. An
entry with a new id and a name at an index in use opens another call.
"""

from collections.abc import Mapping, Set
from typing import Any

from msgspec import UNSET, UnsetType

from inspector.core.completion import (
    ArgumentsState,
    Block,
    BlockKind,
    FunctionCall,
    ToolCall,
    is_index,
)
from inspector.core.findings import Where, shorten
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Path
from inspector.core.fold.fold_context import FoldContext
from inspector.core.fold.growing_text import GrowingText
from inspector.core.fold.said_again import is_same_json
from inspector.core.formats.grammar import CallItem
from inspector.core.json import Json
from inspector.core.json.pointer import escape_step
from inspector.core.json.prefix import JsonPrefix
from inspector.core.limits import Allowance, LimitedItem
from inspector.core.tape import Lane, LaneKind
from inspector.core.tool_calls.arguments import ArgumentContext, examine_arguments
from inspector.core.tool_calls.partial_arguments import PartialArguments

SAID_ONCE = frozenset({"id", "type"})
"""Fields of a call that one delta says."""
_OF_FUNCTION, _OF_CUSTOM = frozenset({"name", "arguments"}), frozenset({"name", "input"})
_NAME = frozenset({"name"})


class ArgumentText(GrowingText):
    """Arguments are what their pieces join to, even if those repeat each other: agents get that."""

    __slots__ = ()

    def said(self) -> str:
        return self.text()


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
        self.arguments = ArgumentText("arguments")
        self.partial: PartialArguments | None = None
        """Spells the arguments of a call that come as values with paths."""
        self._prefix = JsonPrefix()
        self._scanned = 0
        """Pieces of the arguments that ``_prefix`` was fed with."""
        self._arguments_object: Json = None
        self.unspelt = ""
        """The arguments if no piece of them comes."""
        self._shared_from: int | None = None
        """Number of argument pieces when another id or name appeared at this index."""
        self._lane = lane
        self.began: Where | None = None
        self.pointer: str | UnsetType = UNSET
        """Where the call stands in the answer, in formats whose calls are parts of a message."""

    @property
    def id(self) -> Json:
        return self.fields.get("id")

    @property
    def has_name(self) -> bool:
        return bool(self.function.get("name") or self.custom.get("name"))

    @property
    def is_whole(self) -> bool:
        """True if the arguments so far are a JSON value, to which nothing can be added."""
        parts = self.arguments.parts
        for piece in parts[self._scanned :]:
            self._prefix.feed(piece)
        self._scanned = len(parts)
        return self._prefix.is_whole

    @property
    def is_custom(self) -> bool:
        return bool(self.custom) or (self.fields.get("type") == "custom" and not self.function)

    def take_field(self, context: FoldContext, key: str, value: Json, path: Path) -> None:
        """Take a field beside the body. The last id is kept, of others the first value."""
        kept = self.fields.get(key)
        if not kept:
            self.fields[key] = value
        elif context.is_repeat:
            self._compare(context, kept, value, path)
        elif key in SAID_ONCE and (not value or value == kept):
            self._note_again(context, key, value, path)
        elif key == "id" and value and value != kept:
            detail = f"{shorten(kept)} became {shorten(value)}"
            context.note(Anomaly.CALL_ID_CHANGED, path[:-1], str(self.index), detail)
            self.fields[key] = value
            self._share()

    def take_name(
        self, context: FoldContext, body: dict[str, Json], value: Json, path: Path
    ) -> None:
        """Join a name that comes in pieces; a different one after arguments began is not taken."""
        kept = body.get("name")
        if not kept:
            body["name"] = value
            return
        if context.is_repeat:
            self._compare(context, kept, value, path)
            return
        if not value or value == kept:
            self._note_again(context, "name", value, path)
            return
        is_text = isinstance(kept, str) and isinstance(value, str)
        if not is_text or self.arguments.is_begun:
            detail = f"{shorten(kept)} became {shorten(value)}"
            context.note(Anomaly.CALL_NAME_CHANGED, path, str(self.index), detail)
            self._share()
            return
        context.note(Anomaly.CALL_NAME_IN_PIECES, path, str(self.index))
        self.name_pieces = self.name_pieces or [kept]
        self.name_pieces.append(value)
        body["name"] = value if value.startswith(kept) else kept + value

    def _note_again(self, context: FoldContext, key: str, value: Json, path: Path) -> None:
        """Note a field that a later delta sends again, or as null or an empty text."""
        if value:
            context.note_once(Anomaly.CALL_FIELD_AGAIN, path, key)
        else:
            context.note_once(Anomaly.CALL_FIELD_EMPTY, path, f"{key} {_empty_word(value)}")

    def _compare(self, context: FoldContext, kept: Json, value: Json, path: Path) -> None:
        """Compare a field of a call that is sent whole once more; what came first holds."""
        if value and value != kept:
            context.note_difference(shorten(value), shorten(kept), path)

    def compare_arguments(self, context: FoldContext, value: str, path: Path) -> None:
        """Compare arguments that are sent whole once more with their pieces, which hold."""
        if not self.arguments.says(value):
            pieces = self.arguments.text()
            if not is_same_json(value, pieces):
                context.note_difference(value, pieces, path)

    def says_again(self, entry: Mapping[str, Json], bodies: tuple[str, ...]) -> bool:
        """Return True for an entry that is the whole call once more, its id and name included."""
        if not self.id or entry.get("id") != self.id:
            return False
        names = {self.function.get("name"), self.custom.get("name")}
        arguments = _member(entry, bodies, "arguments")
        return (
            _member(entry, bodies, "name") in names - {None}
            and isinstance(arguments, str)
            and self.arguments.says(arguments)
            and self.is_whole
        )

    def _share(self) -> None:
        if self._shared_from is None:
            self._shared_from = len(self.arguments.parts)

    def take_arguments(self, context: FoldContext, value: Json, path: Path) -> None:
        self.function.setdefault("arguments", None if value is None else "")
        if context.is_repeat and self.arguments.is_begun:
            spelt = value if isinstance(value, str) else (context.spelt_at(path) or b"").decode()
            if value:
                self.compare_arguments(context, spelt, path)
        elif isinstance(value, str):
            context.grow(self.arguments, self._lane, value, path)
        elif value is None:
            if self.arguments.is_begun:
                self._note_again(context, "arguments", value, path)
        else:
            # Arguments must be a string (the reasoning reference). Another value is kept and shown
            # as the JSON it is.
            context.note(Anomaly.OBJECT_ARGUMENTS, path)
            self.take_value(context, value, path)

    def is_value(self, sent: Mapping[str, Json]) -> bool:
        """Return True for the same call with its arguments as a value."""
        values = [value for value in sent.values() if isinstance(value, dict)]
        return sent.get("name") == self.function.get("name") and values == [self._arguments_object]

    def take_value(self, context: FoldContext, value: Json, path: Path) -> None:
        """Take arguments that are a JSON value: their text is its spelling."""
        self._arguments_object = value
        raw = context.spelt_at(path) or b""
        context.grow(self.arguments, self._lane, raw.decode(errors="replace"), path)

    def take_piece(self, context: FoldContext, piece: str, *paths: Path) -> None:
        """Take a piece of arguments that are sent as text; without a path it is derived."""
        context.grow(self.arguments, self._lane, piece, *paths)

    def take_unspelt(self, spelling: str) -> None:
        """Take arguments that are these unless pieces spell others."""
        self.unspelt = spelling

    def take_input(self, context: FoldContext, key: str, value: Json, path: Path) -> None:
        """Take the input of a custom tool, which is free text."""
        if context.is_repeat and self.arguments.is_begun and isinstance(value, str):
            self.compare_arguments(context, value, path)
        elif isinstance(value, str):
            self.custom.setdefault(key, "")
            context.grow(self.arguments, self._lane, value, path)
        elif not self.custom.get(key):
            self.custom[key] = value
            if value is not None:
                context.note(Anomaly.BAD_CALL, path, key)

    def entry(self) -> dict[str, Json]:
        """Return the call as a whole completion would contain it."""
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

    @property
    def is_empty(self) -> bool:
        return not self.function.get("name") and not any(self.arguments.parts)

    def block(self, position: int | None) -> Block:
        """Return the call as a part of its message; ``position`` in ``tool_calls``."""
        sent = self.fields.get("type") or "function"
        return Block(
            kind=BlockKind.TOOL_CALL,
            type=sent if isinstance(sent, str) else UNSET,
            lane=self.arguments.lane,
            tool_call=position,
            places=() if self.began is None else (self.began,),
        )

    def tool_call(self, allowance: Allowance, *, at_limit: bool) -> ToolCall:
        """Return the value of the call. ``at_limit``: the choice ended at its length limit."""
        body = self.custom or self.function
        extras = (
            _extras("", self.fields, SAID_ONCE, SAID_ONCE)
            | _extras("/function", self.function, _OF_FUNCTION, _NAME)
            | _extras("/custom", self.custom, _OF_CUSTOM, _NAME)
        )
        return ToolCall(
            index=self.index,
            id=text_or_null(self.fields.get("id", UNSET)),
            type=text_or_null(self.fields.get("type", UNSET)),
            name=text_or_null(body.get("name", UNSET)),
            **self._read_body(at_limit=at_limit),
            pointer=self.pointer,
            extras=allowance.first(LimitedItem.UNKNOWN_FIELDS, extras),
        )

    def function_call(self, *, at_limit: bool) -> FunctionCall:
        return FunctionCall(
            name=text_or_null(self.function.get("name", UNSET)),
            **self._read_body(at_limit=at_limit),
            extras=_extras("/function_call", _only_name(self.function), _NAME, _NAME),
        )

    def _read_body(self, *, at_limit: bool) -> dict[str, Any]:
        """Fields about name and arguments, which ``ToolCall`` and ``FunctionCall`` share."""
        text = self.arguments.text() or self.unspelt
        named = {"name_pieces": tuple(self.name_pieces)}
        if self.is_custom:
            return named | {"arguments_text": text, "arguments_state": ArgumentsState.FREE_TEXT}
        clues = ArgumentContext(self.arguments.parts or [text], self._shared_from, at_limit)
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

    def values(self, allowance: Allowance, *, at_limit: bool) -> tuple[ToolCall, ...]:
        """Return the values of all calls. ``at_limit``: the choice ended at its length limit."""
        return tuple(call.tool_call(allowance, at_limit=at_limit) for call in self.calls)

    def came(self, call: ToolCallFold) -> None:
        """Remember by what the next entry may find the call."""
        if isinstance(call.id, str):
            self._by_id.setdefault(call.id, call)
        if call.arguments.lane is not None:
            self.last_lane = call.arguments.lane

    def call_of(
        self,
        context: FoldContext,
        effect: CallItem,
        entry: Mapping[str, Json],
        path: Path,
        many: bool,
    ) -> ToolCallFold | None:
        """Find or open the call of an entry; None if there are too many calls. ``many``: the event
        has other entries beside it.
        """
        index = entry.get(effect.index, UNSET)
        # In a whole body every entry is a call of its own, whatever index or id it states.
        if context.is_whole:
            if index is not UNSET and index is not None and not is_index(index):
                context.note_index(index, path, "tool call", Anomaly.CALL_INDEX_MISSING)
            return self._open(context, len(self.calls))
        if context.is_repeat:
            return self._again(context, entry, path[-1], effect.bodies)
        if not entry.get("id") and _member(entry, effect.bodies, "name"):
            # Whether it goes on with a call depends on what the call has by then.
            context.is_steady = False
        if is_index(index):
            call = self._by_index.get(index)
            if call is not None and starts_another(call, entry, effect.bodies):
                context.note(Anomaly.CALL_INDEX_REPEATED, path)
                call = None
            return self._open(context, index) if call is None else call
        context.note_index(index, path, "tool call", Anomaly.CALL_INDEX_MISSING)
        return self._without_index(context, path[-1] if many else None, entry, effect.bodies)

    def _again(
        self, context: FoldContext, entry: Mapping[str, Json], place: int, bodies: tuple[str, ...]
    ) -> ToolCallFold | None:
        """Find the call that is sent whole once more, by id, else by place; open one without."""
        id_ = entry.get("id")
        same = self._by_id.get(id_) if isinstance(id_, str) else None
        if same is None and place < len(self.calls):
            at_place = self.calls[place]
            same = None if _has_another_name(at_place, entry, bodies) else at_place
        return same or self._open(context, self._highest_index + 1)

    def _without_index(
        self,
        context: FoldContext,
        place: int | None,
        entry: Mapping[str, Json],
        bodies: tuple[str, ...],
    ) -> ToolCallFold | None:
        """Find the call by id. Without an id, by position if the event has several entries; a
        single entry continues the last call.
        """
        if (id_ := entry.get("id")) and isinstance(id_, str):
            same = self._by_id.get(id_)
        else:
            at = -1 if place is None else place
            same = self.calls[at] if at < len(self.calls) and self.calls else None
            if same is not None and (
                _has_another_name(same, entry, bodies) or starts_another(same, entry, bodies)
            ):
                same = None
        return same or self._open(context, self._highest_index + 1)

    def open_next(self, context: FoldContext) -> ToolCallFold | None:
        """Open a call whose place among the others is the order in which it came."""
        return self._open(context, len(self.calls))

    def _open(self, context: FoldContext, index: int) -> ToolCallFold | None:
        if not context.allowance.admits(LimitedItem.TOOL_CALLS):
            return None
        context.is_steady = False
        self._highest_index = max(self._highest_index, index)
        lane = Lane(self._choice, LaneKind.TOOL_CALL, len(self.calls))
        call = self._by_index[index] = ToolCallFold(index, lane)
        self.calls.append(call)
        return call


def text_or_null(value: Json) -> Any:
    """Return a text or null as sent; a value of another type counts as not sent."""
    return value if value is UNSET or value is None or isinstance(value, str) else UNSET


def starts_another(call: ToolCallFold, entry: Mapping[str, Json], bodies: tuple[str, ...]) -> bool:
    """Return True for an entry that cannot go on with a call: it has a name, and either an id of
    its own or, without one, another name or arguments that begin anew after those of the call are
    whole.
    """
    name, id_ = _member(entry, bodies, "name"), entry.get("id")
    if not name or (id_ and call.id):
        return bool(name) and id_ != call.id
    arguments = _member(entry, bodies, "arguments")
    is_other = not arguments and _has_another_name(call, entry, bodies)
    return call.has_name and (is_other or _begins_object(arguments)) and call.is_whole


def _has_another_name(
    call: ToolCallFold, entry: Mapping[str, Json], bodies: tuple[str, ...]
) -> bool:
    name = _member(entry, bodies, "name")
    kept = call.function.get("name") or call.custom.get("name")
    return bool(name and kept and name != kept)


def _begins_object(arguments: Json) -> bool:
    return isinstance(arguments, dict) or (
        isinstance(arguments, str) and arguments.lstrip()[:1] == "{"
    )


def _member(entry: Mapping[str, Json], bodies: tuple[str, ...], name: str) -> Json:
    body = body_of(entry, bodies)
    return None if body is None else body.get(name)


def body_of(entry: Mapping[str, Json], bodies: tuple[str, ...]) -> dict[str, Json] | None:
    """Return the object with the name and arguments of an entry; None without one."""
    for name in bodies:
        if (body := entry.get(name)).__class__ is dict:
            return body
    return None


def _empty_word(value: Json) -> str:
    return "null" if value is None else "empty"


def _only_name(body: Mapping[str, Json]) -> dict[str, Json]:
    return {"name": body["name"]} if "name" in body else {}


def is_odd_text(value: Json) -> bool:
    """Return True for a value in the place of a text; it goes to the extras."""
    return value is not None and not isinstance(value, str)


def _extras(
    prefix: str, fields: Mapping[str, Json], known: Set[str], texts: Set[str]
) -> dict[str, Json]:
    """Fields that no document defines, and those of ``texts`` that hold no text."""
    return {
        f"{prefix}/{escape_step(key)}": value
        for key, value in fields.items()
        if key not in known or (key in texts and is_odd_text(value))
    }
