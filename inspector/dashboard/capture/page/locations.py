"""Links to the place on the page that shows a finding's location."""

from __future__ import annotations

import re

from inspector.core.analysis import Analysis
from inspector.core.findings import Where
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.urls import byte_href, event_href

IN_A_CHOICE = re.compile(
    r"/choices/(\d{1,9})(?:/message/(?:tool_calls/(?P<call>\d{1,9})|(?P<legacy>function_call)))?(?=/|$)"
)
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


def location_href(view: CaptureView, where: Where) -> str:
    """Link for a location: an event or byte leads to its line, a pointer to its panel; ""
    for none.
    """
    if where.event is not None:
        return event_href(view, where.event)
    if where.byte_start is not None and view.body:
        return byte_href(view, where.byte_start)
    return "" if where.pointer is None else f"#{element_id_of(view.analysis, where.pointer)}"


def panel_of_pointer(pointer: str | None) -> str:
    """Returns the panel that shows the value at a JSON Pointer."""
    for step, panel in PANEL_BY_STEP:
        if pointer is not None and f"/{step}" in pointer:
            return panel
    return "raw"


def element_id_of(analysis: Analysis | None, pointer: str) -> str:
    """Element id of the choice or tool call that a JSON Pointer refers to, else of the panel that
    shows the value.
    """
    panel = panel_of_pointer(pointer)
    at = IN_A_CHOICE.match(pointer)
    index = choice_index_at(analysis, int(at[1])) if at and analysis else None
    if at is None or index is None:
        return panel
    call = at["call"] or ("f" if at["legacy"] else None)
    if panel == "tool_calls" and call is not None:
        return f"call-{index}-{call}"
    return f"choice-{index}" if panel == "choices" else panel


def choice_index_at(analysis: Analysis, position: int) -> int | None:
    """Index of the choice at a position of the completion; None if there is no such choice."""
    completion = analysis.completion if isinstance(analysis.completion, dict) else {}
    sent = completion.get("choices")
    at = sent[position] if isinstance(sent, list) and position < len(sent) else None
    index = at.get("index", position) if isinstance(at, dict) else position
    return index if isinstance(index, int) and analysis.choice(index) else None
