"""Names of lanes as they open; later ones of the same kind are counted."""

from __future__ import annotations

from inspector.core.completion import Json
from inspector.core.fold.message import ChoiceFold
from inspector.core.progress.block_list import KINDS, MAX_LISTED, shown, tool_name
from inspector.core.tape import Lane, LaneKind


def lane_name(choice: ChoiceFold | None, number: int, lane: Lane, position: int) -> str:
    """Name of the called tool, the provider's name of what it runs, or the kind of text. ``number``
    is that of the lane, ``position`` counts the lanes of its kind in its choice from 1.
    """
    named = _own_name(choice, number, lane) if choice is not None else None
    if isinstance(named, str) and named:
        return shown(named)
    if position == 1 or lane.kind not in KINDS:
        return _words(lane.kind)
    return f"{KINDS[lane.kind]} {position}"


def _own_name(choice: ChoiceFold, number: int, lane: Lane) -> Json:
    if lane.kind is LaneKind.HOSTED:
        parts = choice.blocks.newest(MAX_LISTED)
        held = (part for part in parts if part.text is not None and part.text.lane == number)
        return next((_words(part.type) for part in held), None)
    if lane.kind is LaneKind.FUNCTION_CALL:
        return next(map(tool_name, choice.legacy_calls), None)
    if lane.kind is not LaneKind.TOOL_CALL or lane.tool_call is None:
        return None
    return tool_name(choice.calls.calls[lane.tool_call])


def _words(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")
