"""The panels of a response that is being recorded: what grows comes first, the rest says when it
will be there.
"""

from collections.abc import Mapping
from dataclasses import replace

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, PanelDisplay
from inspector.dashboard.capture.panels import panels_for

TEMPLATES = "dashboard/capture/recording"
FIRST = ("timeline", "choices", "prompt")
GROWING = ("timeline", "choices")
WHY_LATER: Mapping[str, str] = {
    "tool_calls": "Calls are checked after the end; their arguments grow above.",
    "raw": "The bytes are shown after the end; how many have come stands above.",
    "usage": "Tokens and cost are added up after the end.",
    "findings": "Findings come after the end: rules need the whole response.",
}
"""Where "After the end." does not say enough."""


def recording_panels(view: CaptureView) -> list[PanelDisplay]:
    panels = sorted(panels_for(view), key=_place)
    return [PanelDisplay(each, _body(each, view)) for each in panels]


def _place(panel: Panel) -> tuple[int, int]:
    return FIRST.index(panel.slug) if panel.slug in FIRST else len(FIRST), panel.position


def _body(panel: Panel, view: CaptureView) -> PanelBody:
    if panel.slug in GROWING:
        return PanelBody("none yet", content=True, template=f"{TEMPLATES}/{panel.slug}.html")
    if panel.slug == "prompt":
        return _folded(panel.draw(view))
    if panel.slug == "exchange":
        return panel.draw(view)
    why = WHY_LATER.get(panel.slug, "After the end.")
    return PanelBody("later", why_empty=why)


def _folded(body: PanelBody) -> PanelBody:
    return replace(body, template=f"{TEMPLATES}/prompt.html") if body.content else body
