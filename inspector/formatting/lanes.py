"""Names of lanes for people."""

from __future__ import annotations

from typing import Any

from inspector.core.analysis import Analysis
from inspector.core.tape import Lane, LaneKind


def lane_name(analysis: Analysis, lane: Lane) -> str:
    """Kind of text, or the name of the tool call."""
    call = call_of(analysis, lane)
    name = getattr(call, "name", None)
    return well_formed(name) if isinstance(name, str) and name else lane.kind.replace("-", " ")


def call_of(analysis: Analysis, lane: Lane) -> Any:
    choice = analysis.choice(lane.choice)
    if choice is None:
        return None
    if lane.kind is LaneKind.FUNCTION_CALL:
        return choice.function_call
    position = lane.tool_call
    if lane.kind is not LaneKind.TOOL_CALL or position is None:
        return None
    return choice.tool_calls[position] if position < len(choice.tool_calls) else None


def well_formed(text: str) -> str:
    """Replaces lone surrogates, which JSON cannot carry, without changing the length."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
