"""Position of a displayed text in its lane, from which a selection is traced."""

from dataclasses import dataclass

from inspector.core.completion import Choice
from inspector.core.tape import LaneKind, length_u16
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.text.choice_texts import ChoiceTextPart


@dataclass(frozen=True, slots=True)
class LanePosition:
    """``start_u16`` is the UTF-16 offset in the lane where the text begins."""

    lane: int
    start_u16: int
    words: str
    """Accessible label of the text."""


def text_lane_position(
    view: CaptureView, choice: Choice, part: ChoiceTextPart
) -> LanePosition | None:
    """Return the position; None if no event carried the text's characters."""
    lane = view.lane_numbers.get((choice.index, part.kind, None))
    if lane is None or view.tape is None or not part.text:
        return None
    whole = getattr(choice, part.kind)
    before = length_u16(whole[: part.at]) if isinstance(whole, str) else 0
    start = view.tape.text_start_u16(lane) + before
    return LanePosition(lane, start, f"{part.kind} of choice {choice.index}")


def arguments_lane_position(
    view: CaptureView, choice: Choice, position: int | None
) -> LanePosition | None:
    """Position of a call's arguments; ``position`` is None for the legacy ``function_call``."""
    kind = LaneKind.FUNCTION_CALL if position is None else LaneKind.TOOL_CALL
    lane = view.lane_numbers.get((choice.index, kind, position))
    return None if lane is None else LanePosition(lane, 0, f"arguments, choice {choice.index}")
