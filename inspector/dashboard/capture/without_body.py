"""The panels of a capture whose body is deleted: what was counted stays, the rest is gone."""

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, PanelDisplay
from inspector.dashboard.capture.panels import panels_for

LEFT = ("usage", "exchange", "feedback", "findings")
WHY_GONE = "Deleted with the body."


def panels_without_body(view: CaptureView) -> list[PanelDisplay]:
    """Panels that have something left come first, in their usual order."""
    panels = sorted(panels_for(view), key=lambda panel: panel.slug not in LEFT)
    return [PanelDisplay(each, _body(each, view), key) for key, each in enumerate(panels, start=1)]


def _body(panel: Panel, view: CaptureView) -> PanelBody:
    return panel.draw(view) if panel.slug in LEFT else PanelBody("deleted", why_empty=WHY_GONE)
