"""Handlers for the deltas of a choice, and for the fields of its message."""

from collections.abc import Mapping
from typing import Any

from inspector.core.completion import is_index
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.merge_unknown import merge_field
from inspector.core.fold.message import REASONING_NAMES, part_text
from inspector.core.formats import grammar as effects
from inspector.core.json import Json
from inspector.core.tape import LaneKind


def _take_delta(
    context: FoldState, node: Node, delta: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if context.is_whole:
        if delta:
            context.note(Anomaly.DELTA_IN_WHOLE, path)
        if node.effect.whole in around:
            # Folding both would join the text to itself.
            return
    elif not context.choice.has_pieces and isinstance(delta, dict):
        context.choice.has_pieces = any(delta[name] for name in delta if name != "role")
    _take_message(context, node, delta, path)


def _take_message(context: FoldState, node: Node, delta: Json, path: Path) -> None:
    choice = context.choice
    if delta.__class__ is not dict:
        context.note(Anomaly.BAD_DELTA, path, path[-1])
        return
    # Pieces on the tape, not keys: an empty delta after the finish reason is usual.
    before = len(context.tape.piece_event)
    thinks = not context.is_repeat and any(map(delta.get, REASONING_NAMES))
    if thinks and choice.has_content():
        context.note_once(Anomaly.REASONING_AFTER_CONTENT, path, str(choice.index))
    descend(context, node, delta, path)
    if choice.finished_at is not None and len(context.tape.piece_event) > before:
        choice.came_after_finish(context, path)


def _take_whole_message(
    context: FoldState, node: Node, message: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if not context.is_whole:
        context.is_steady = False
        delta = around.get(node.effect.piece)
        # A message beside a delta repeats the text so far: taking both would double it.
        if isinstance(delta, dict) and delta:
            context.note(Anomaly.MESSAGE_BESIDE_DELTA, path)
            return
        context.note(Anomaly.FOREIGN_CHUNK, path)
    _take_message(context, node, message, path)


def _take_legacy_text(
    context: FoldState, node: Node, value: Json, path: Path, around: Mapping[str, Json]
) -> None:
    if any(name in around for name in node.effect.unless):
        context.choice.take_growing_field(context, "text", value)
    else:
        context.choice.take_legacy_text(context, value, path)


def _take_finish(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    if context.document is not None:
        context.keep(path, value)
    context.choice.take_finish(context, value, path)
    if value.__class__ is int and is_index(value):
        context.choice.finish_name = node.effect.numbers.get(value, value)


def _take_choice_field(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.choice.take_field(path[-1], value)


def _take_growing_field(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if context.is_repeat and context.choice.fields.get(path[-1]):
        return
    if value is None:
        context.choice.fields.setdefault(path[-1], None)
    elif isinstance(value, dict):
        merge_field(context.choice.fields, path[-1], value)
        context.is_steady = context.is_steady and context.beside is None
        context.beside = path
    else:
        context.choice.take_field(path[-1], value)
        context.is_steady = False


def _take_decimal(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    context.choice.take_decimal(context, path[-1], value, path)


def _take_role(context: FoldState, _node: Node, value: Json, path: Path, _: Any) -> None:
    if context.document is not None:
        context.keep(path, value)
    context.choice.take_role(context, value, path)


def _take_text(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    choice, key = context.choice, path[-1]
    if value.__class__ is str:
        choice.message.setdefault(key, None)
        choice.take_text(context, key, node.effect.lane, value, (path,))
    elif isinstance(value, list) and node.item is not None:
        choice.message.setdefault(key, None)
        context.note(Anomaly.CONTENT_PARTS, path, str(choice.index))
        if context.is_repeat:
            _take_parts_again(context, value, path)
        else:
            descend(context, node, value, path)
    else:
        wanted = "a text" if node.item is None else "a text or a list"
        choice.take_odd_value(context, key, value, path, wanted)


def _take_parts_again(context: FoldState, parts: list[Json], path: Path) -> None:
    """Compare content that is sent whole, as a list of parts, with the texts that came."""
    found = [part_text(part, (*path, position)) for position, part in enumerate(parts)]
    for name, kind in (("content", LaneKind.CONTENT), ("reasoning_content", LaneKind.REASONING)):
        texts = [(text, paths) for key, text, paths in found if key == name and text]
        if texts:
            places = tuple(place for _, paths in texts for place in paths)
            whole = "".join(text for text, _ in texts)
            context.choice.take_text(context, name, kind, whole, places)


def _take_text_part(context: FoldState, _node: Node, part: Json, path: Path, _: Any) -> None:
    context.choice.take_content_part(context, part, path)


def _take_message_field(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    key = path[-1]
    if node.effect.is_list and value is not None and not isinstance(value, list):
        context.note_type(value, "a list", path, key)
    context.choice.take_message_field(context, key, value)


def _take_function_call(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    if not isinstance(value, dict):
        context.choice.take_odd_value(context, path[-1], value, path, "an object")
        return
    context.choice.message.setdefault(path[-1], None)
    context.call = context.choice.function_call()
    context.call.began = context.call.began or context.where(path)
    context.call_body = context.call.function
    context.is_steady = False
    descend(context, node, value, path)


HANDLERS: Handlers = {
    effects.ChoiceField: _take_choice_field,
    effects.DecimalText: _take_decimal,
    effects.FinishReason: _take_finish,
    effects.LegacyCall: _take_function_call,
    effects.GrowText: _take_text,
    effects.GrowingChoiceField: _take_growing_field,
    effects.LegacyText: _take_legacy_text,
    effects.Message: _take_delta,
    effects.MessageField: _take_message_field,
    effects.MessageRole: _take_role,
    effects.TextPart: _take_text_part,
    effects.WholeMessage: _take_whole_message,
}
