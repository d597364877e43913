"""Links to the place on the page that shows a finding's location."""

import re
from collections.abc import Iterator

from inspector.core.analysis import Analysis
from inspector.core.completion import Choice
from inspector.core.findings import Where
from inspector.core.formats.grammar import (
    BlockList,
    BlockObject,
    CandidateLogprobs,
    Effect,
    FinishReason,
    FinishStatus,
    MergedUsage,
    MessageRole,
    TextLogprobs,
    TokenLogprobs,
    UsageCounts,
    UsageMember,
)
from inspector.core.formats.places import CHAT_CHOICE, effect_at, places_of
from inspector.dashboard.capture.page.answer_pointers import answer_pointer, choice_index_at
from inspector.dashboard.capture.page.block_order import block_id, is_in_order
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.urls import byte_href, event_href

CALL_IN_A_MESSAGE = re.compile(
    r"/message/(?:tool_calls/(?P<call>\d{1,9})|(?P<legacy>function_call))(?=/|$)"
)
"""A call in a choice of chat completions; calls of other formats are blocks."""
PANEL_BY_STEP = (
    ("tool_calls", "tool_calls"),
    ("function_call", "tool_calls"),
    ("usage", "usage"),
    ("logprobs", "logprobs"),
    ("feedback_token", "feedback"),
    ("cost_usd", "feedback"),
    ("duration_seconds", "feedback"),
    ("choices", "choices"),
)
"""Panels by names in pointers into chat completions. The first name that a pointer has anywhere
decides, so ``choices``, inside which most others stand, comes last.
"""
PANEL_BY_EFFECT: tuple[tuple[tuple[type[Effect], ...], str], ...] = (
    ((UsageCounts, MergedUsage, UsageMember), "usage"),
    ((CandidateLogprobs, TextLogprobs, TokenLogprobs), "logprobs"),
    ((BlockList, BlockObject, FinishReason, FinishStatus, MessageRole), "choices"),
)
"""Panels by what stands at a pointer, in formats with a table of their own."""


def location_href(view: CaptureView, where: Where) -> str:
    """Link for a location: to the line of an event or byte, to the panel of a pointer; or ""."""
    if where.event is not None:
        return event_href(view, where.event)
    if where.byte_start is not None and view.body:
        return byte_href(view, where.byte_start)
    return "" if where.pointer is None else f"#{element_id_of(view.analysis, where.pointer)}"


def panel_of_pointer(pointer: str | None, dialect: str | None = None) -> str:
    """Return the panel that shows the value at a JSON Pointer into an answer or an event."""
    if pointer is None:
        return "raw"
    places = places_of(dialect)
    if places.choice != CHAT_CHOICE:
        around = next((at for at in places.sent_at if at and pointer.startswith(f"{at}/")), "")
        return _panel_by_effect(pointer.removeprefix(around), dialect)
    return next((panel for step, panel in PANEL_BY_STEP if f"/{step}" in pointer), "raw")


def _panel_by_effect(pointer: str, dialect: str | None) -> str:
    choice = places_of(dialect).choice
    for at in _with_places_around(pointer):
        effect = effect_at(dialect, at)
        for effects, panel in PANEL_BY_EFFECT:
            if isinstance(effect, effects):
                return panel
    return "choices" if _inside(choice, pointer) is not None and (choice or not pointer) else "raw"


def _with_places_around(pointer: str) -> Iterator[str]:
    """Yield the pointer, then those of all values around it."""
    while pointer:
        yield pointer
        pointer = pointer.rpartition("/")[0]


def element_id_of(analysis: Analysis | None, pointer: str) -> str:
    """Id of the block, call or choice that a JSON Pointer refers to, else of its panel."""
    if analysis is None:
        return panel_of_pointer(pointer)
    sent, pointer = pointer, pointer.removeprefix(answer_pointer(analysis))
    panel = panel_of_pointer(pointer, analysis.dialect)
    choice = _choice_at(analysis, pointer)
    if choice is None or panel not in ("choices", "tool_calls"):
        return panel
    if places_of(analysis.dialect).choice != CHAT_CHOICE:
        return _block_at(choice, sent) or f"choice-{choice.index}"
    call = CALL_IN_A_MESSAGE.search(pointer)
    if panel == "tool_calls" and call is not None:
        return f"call-{choice.index}-{call['call'] or 'f'}"
    return f"choice-{choice.index}" if panel == "choices" else panel


def _choice_at(analysis: Analysis, pointer: str) -> Choice | None:
    """Return the choice that a pointer leads into; the last one in formats whose answer is the
    choice.
    """
    position = _inside(places_of(analysis.dialect).choice, pointer)
    if position is None:
        return None
    if position == "":
        return analysis.choices[-1] if analysis.choices else None
    index = choice_index_at(analysis, int(position))
    return None if index is None else analysis.choice(index)


def _inside(pattern: str, pointer: str) -> str | None:
    """Return the position that stands for "*" in a pointer at or below a pattern, "" if the pattern
    has none; None if the pointer is elsewhere.
    """
    if not pattern:
        return ""
    # As in "/choices/12" of "/choices/12/message", not of "/choices/123".
    found = re.match(pattern.replace("*", r"(\d{1,9})") + "(?=/|$)", pointer)
    return found[1] if found else None


def _block_at(choice: Choice, pointer: str) -> str:
    """Element id of the innermost block at a pointer or around it, "" if there is none."""
    for at in _with_places_around(pointer):
        for position, block in enumerate(choice.blocks):
            if block.pointer == at and block.tool_call is not None:
                return f"call-{choice.index}-{block.tool_call}"
            if block.pointer == at and is_in_order(choice):
                return block_id(choice.index, position)
    return ""
