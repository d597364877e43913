"""Handlers for the entries of lists of tool calls, and for the fields of a call."""

from typing import Any

from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.tool_calls import SAID_ONCE, body_of
from inspector.core.formats import grammar as effects
from inspector.core.json import Json
from inspector.core.limits import MAX_TOOL_CALLS, LimitedItem


def _take_calls(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    choice, item = context.choice, node.item
    if not isinstance(value, list):
        choice.take_odd_value(context, path[-1], value, path, "a list")
        return
    choice.message.setdefault(path[-1], None)
    assert item is not None
    for position, entry in enumerate(value[:MAX_TOOL_CALLS]):
        item.take(context, item, entry, (*path, position), value)
    context.is_steady = context.is_steady and len(value) <= 1
    if len(value) > MAX_TOOL_CALLS:
        context.allowance.leave_out(LimitedItem.TOOL_CALLS, len(value) - MAX_TOOL_CALLS)


def _take_call(context: FoldState, node: Node, entry: Json, path: Path, around: list[Json]) -> None:
    if not isinstance(entry, dict):
        context.note(Anomaly.BAD_CALL, path, "tool call")
        return
    effect, calls = node.effect, context.choice.calls
    call = calls.call_of(context, effect, entry, path, len(around) > 1)
    if call is None:
        return
    context.call = call
    call.began = call.began or context.where(path)
    if not context.is_whole and not context.is_repeat and call.says_again(entry, effect.bodies):
        context.note_once(Anomaly.CALL_FIELD_AGAIN, path, "arguments")
        return
    descend(context, node, entry, path)
    if body_of(entry, effect.bodies) is None:
        context.note(Anomaly.BAD_CALL, path, "function")
    calls.came(call)


def _take_field(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    key = path[-1]
    context.call.take_field(context, key, value, path)
    context.is_steady = context.is_steady and key in SAID_ONCE


def _take_body(context: FoldState, node: Node, body: Json, path: Path, _: Any) -> None:
    if isinstance(body, dict):
        call = context.call
        context.call_body = call.custom if node.effect.is_custom else call.function
        descend(context, node, body, path)


def _take_name(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.call.take_name(context, context.call_body, value, path)


def _take_body_field(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if not context.call_body.get(path[-1]):
        context.call_body[path[-1]] = value
    context.is_steady = False


def _take_arguments(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.call.take_arguments(context, value, path)


def _take_input(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.call.take_input(context, path[-1], value, path)


HANDLERS: Handlers = {
    effects.CallBody: _take_body,
    effects.CallBodyField: _take_body_field,
    effects.CallField: _take_field,
    effects.CallItem: _take_call,
    effects.CallList: _take_calls,
    effects.CallName: _take_name,
    effects.GrowArguments: _take_arguments,
    effects.GrowInput: _take_input,
}
