"""Discovers the panels of the capture page: ``panel.py`` in the folder of each subject defines one
``PANEL``.
"""

from functools import cache
from importlib import import_module
from pathlib import Path

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelDisplay


@cache
def all_panels() -> tuple[Panel, ...]:
    """Return all panels by position; equal positions are ordered by subject."""
    subjects = sorted(path.parent.name for path in Path(__file__).parent.glob("*/panel.py"))
    panels = [import_module(f"{__package__}.{subject}.panel").PANEL for subject in subjects]
    return tuple(sorted(panels, key=lambda panel: panel.position))


def panels_for(view: CaptureView) -> tuple[Panel, ...]:
    """Return the panels; a link shows neither votes nor a prompt that it withholds."""
    if view.facts.share is None:
        return all_panels()
    withheld = ("feedback", "prompt") if view.is_prompt_withheld else ("feedback",)
    return tuple(panel for panel in all_panels() if panel.slug not in withheld)


def build_panels(view: CaptureView) -> list[PanelDisplay]:
    """Build every panel for this capture: the bytes first where no answer came, what is empty
    last.
    """
    displays = [PanelDisplay(panel, panel.draw(view)) for panel in panels_for(view)]
    is_answered = any(each.panel.slug == "choices" and each.body.content for each in displays)
    if not is_answered:
        displays.sort(key=lambda each: each.panel.slug != "raw")
    return sorted(displays, key=lambda each: bool(each.body.why_empty))


def build_panel(view: CaptureView, slug: str) -> PanelDisplay | None:
    """Build one panel; None if no panel has this slug."""
    panel = next((each for each in panels_for(view) if each.slug == slug), None)
    return PanelDisplay(panel, panel.draw(view)) if panel else None
