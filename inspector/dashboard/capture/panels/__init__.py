"""Discovers the panels of the capture page: each module of this package defines one ``PANEL``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel import Panel, PanelDisplay
from inspector.formatting.verdicts import UNREAD_REASONS


@cache
def all_panels() -> tuple[Panel, ...]:
    """Returns all panels by position; equal positions are ordered by module name."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    panels = [import_module(f"{__name__}.{name}").PANEL for name in names]
    return tuple(sorted(panels, key=lambda panel: panel.position))


def panels_for(view: CaptureView) -> tuple[Panel, ...]:
    """Whoever has a link sees neither votes nor a prompt that it withholds."""
    if view.facts.share is None:
        return all_panels()
    withheld = ("feedback", "prompt") if view.is_prompt_withheld else ("feedback",)
    return tuple(panel for panel in all_panels() if panel.slug not in withheld)


def build_panels(view: CaptureView) -> list[PanelDisplay]:
    """Builds every panel for this capture: broken calls beside the answer, what is empty last. The
    key of a panel is the same whatever came.
    """
    displays = [
        PanelDisplay(panel, panel.draw(view), key)
        for key, panel in enumerate(panels_for(view), start=1)
    ]
    return sorted(displays, key=_place)


def _place(display: PanelDisplay) -> tuple[bool, bool, int]:
    is_broken_call = display.panel.slug == "tool_calls" and display.body.tone == "error"
    is_before = is_broken_call or display.panel.slug in ("prompt", "choices")
    return bool(display.body.why_empty), not is_before, display.panel.position


def build_panel(view: CaptureView, slug: str) -> PanelDisplay | None:
    """Builds one panel; None if no panel has this slug."""
    for key, panel in enumerate(panels_for(view), start=1):
        if panel.slug == slug:
            return PanelDisplay(panel, panel.draw(view), key)
    return None


def unread_reason(view: CaptureView) -> str:
    """Explains why the body could not be read; empty if it was."""
    if view.analysis is not None:
        repair = view.analysis.repair
        is_read = repair is not None and repair.is_read
        return "" if is_read else UNREAD_REASONS.get(view.analysis.verdict, "")
    if view.not_read:
        return view.not_read
    if view.row.state == "quarantined":
        return "This capture could not be analysed. Its bytes are below, exactly as received."
    return "Not analysed yet. This page updates by itself."
