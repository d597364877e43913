"""Folds calls whose arguments come as values with paths, which join to one call."""

from typing import Any

from inspector.core.completion import list_or_empty
from inspector.core.fold.anomalies import Anomaly
from inspector.core.fold.engine import Handlers, Node, Path, descend
from inspector.core.fold.fold_state import FoldState
from inspector.core.fold.tool_calls import ToolCallFold
from inspector.core.formats.grammar import PartialCall
from inspector.core.json import Json
from inspector.core.tool_calls.partial_arguments import ArgumentPiece, PartialArguments


def _take_call(context: FoldState, node: Node, value: Json, path: Path, _: Any) -> None:
    """Take a call, or what follows of one that was said to continue."""
    if not isinstance(value, dict):
        if value is not None:
            context.note_type(value, "an object", path, str(path[-1]))
        context.keep(path, value)
        return
    context.keep(path, {})
    descend(context, node, value, path)
    call = context.block.call if context.block is not None else None
    goes_on = value.get(node.effect.goes_on) is True
    name = node.effect.pieces
    if call is None or not (goes_on or name in value or call.partial is not None):
        return
    context.is_steady = False
    if call.partial is None:
        call.partial = PartialArguments()
        context.note(Anomaly.PARTIAL_ARGUMENTS, path, str(call.index))
    for position, piece in enumerate(list_or_empty(value.get(name))):
        _take_piece(context, call, piece, (*path, name, position))
    if not goes_on:
        call.take_piece(context, call.partial.end())
    context.choice.calls.came(call)
    if (document := context.built) is not None:
        document.spell(context.place_of((*path, "args")), call.arguments)


def _take_piece(context: FoldState, call: ToolCallFold, piece: Json, path: Path) -> None:
    assert call.partial is not None
    found: ArgumentPiece | None = None
    if isinstance(piece, dict):
        spelt = context.spelt_at((*path, "numberValue")) if "numberValue" in piece else None
        found = call.partial.take(piece, (spelt or b"").decode(errors="replace"))
    if found is None:
        context.note(Anomaly.PARTIAL_MISPLACED, path, str(call.index))
        return
    call.take_piece(context, found.before)
    # A value that is spelt otherwise in its event has no bytes there.
    is_same = str(piece[found.name]) == found.value or found.name in ("numberValue", "boolValue")
    place = [(*path, found.name)] if is_same else []
    call.take_piece(context, found.value, *place)
    call.take_piece(context, found.after)


HANDLERS: Handlers = {PartialCall: _take_call}
