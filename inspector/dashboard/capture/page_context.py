"""The whole page of a capture, part by part."""

from collections.abc import Mapping
from typing import Any

from inspector.dashboard.capture.actions.part import ACTIONS
from inspector.dashboard.capture.head.parts import CORRELATED, LINKS, PLACE, SUMMARY
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, PanelDisplay
from inspector.dashboard.capture.page.part import Part, Visit
from inspector.dashboard.capture.page.urls import query_string
from inspector.dashboard.capture.panels import build_panel, build_panels, panels_for
from inspector.dashboard.capture.recording.panels import recording_panels
from inspector.dashboard.capture.recording.part import RECORDING
from inspector.formatting.verdicts import UNFINISHED_STATES

LEFT = ("usage", "exchange", "feedback", "findings")
WHY_GONE = "Deleted with the body."


def page_context(visit: Visit) -> dict[str, Any]:
    """All that the templates of the page need."""
    view = visit.view
    parts = [part for part in PARTS if part.is_shared or not view.facts.share]
    context: dict[str, Any] = {
        "view": view,
        "facts": view.facts,
        "row": view.row,
        "unfinished": view.row.state in UNFINISHED_STATES,
        "page_query": query_string(view, {}).removeprefix("?"),
        "above": [],
    }
    for part in parts:
        shown = part.show(visit)
        context |= shown
        if part.template and shown:
            context["above"].append(part.template)
    return context


def displays_of(view: CaptureView) -> list[PanelDisplay]:
    if view.row.body_deleted_at is not None:
        return panels_without_body(view)
    return recording_panels(view) if view.facts.is_recording else build_panels(view)


def display_of(view: CaptureView, slug: str) -> PanelDisplay | None:
    if view.row.body_deleted_at is None and not view.facts.is_recording:
        return build_panel(view, slug)
    return next((each for each in displays_of(view) if each.panel.slug == slug), None)


def _panels(visit: Visit) -> Mapping[str, Any]:
    displays, is_recording = displays_of(visit.view), visit.view.facts.is_recording
    return {
        "panels": displays,
        "empty_panels": [] if is_recording else [it for it in displays if it.body.why_empty],
    }


PARTS = (SUMMARY, RECORDING, PLACE, CORRELATED, LINKS, ACTIONS, Part(_panels, is_shared=True))
"""In the order in which those with a template of their own stand on the page."""


def panels_without_body(view: CaptureView) -> list[PanelDisplay]:
    """Panels that have something left come first, in their usual order."""
    panels = sorted(panels_for(view), key=lambda panel: panel.slug not in LEFT)
    return [PanelDisplay(each, _body(each, view)) for each in panels]


def _body(panel: Panel, view: CaptureView) -> PanelBody:
    return panel.draw(view) if panel.slug in LEFT else PanelBody("deleted", why_empty=WHY_GONE)
