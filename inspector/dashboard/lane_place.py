"""Where a text that a page shows stands in its lane: what a selection in it is told by."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.core.completion import Choice
from inspector.core.tape import LaneKind
from inspector.dashboard.answers import Said
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.provenance import u16_length


@dataclass(frozen=True, slots=True)
class LanePlace:
    """``start_u16``: where the text begins in the lane, in UTF-16 units."""

    lane: int
    start_u16: int
    words: str
    """What the text is, for those who do not see it."""


def place_of_text(view: CaptureView, choice: Choice, said: Said) -> LanePlace | None:
    """None where no event of this capture gave the text its characters."""
    lane = view.lane_numbers.get((choice.index, said.kind, None))
    if lane is None or view.tape is None or not said.text:
        return None
    whole = getattr(choice, said.kind)
    before = u16_length(whole[: said.at]) if isinstance(whole, str) else 0
    start = view.tape.text_start_u16(lane) + before
    return LanePlace(lane, start, f"{said.kind} of choice {choice.index}")


def place_of_call(view: CaptureView, choice: Choice, position: int | None) -> LanePlace | None:
    """Of the arguments of a call; ``position`` is None for the deprecated ``function_call``."""
    kind = LaneKind.FUNCTION_CALL if position is None else LaneKind.TOOL_CALL
    lane = view.lane_numbers.get((choice.index, kind, position))
    return None if lane is None else LanePlace(lane, 0, f"arguments, choice {choice.index}")
