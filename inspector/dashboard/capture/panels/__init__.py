"""Discovers the panels of the capture page: each module of this package defines one ``PANEL``."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel import Panel, PanelBody, PanelDisplay
from inspector.formatting.humanize import size
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
    """Builds every panel for this capture."""
    return [
        PanelDisplay(panel, draw_panel(panel, view), key)
        for key, panel in enumerate(panels_for(view), start=1)
    ]


def build_panel(view: CaptureView, slug: str) -> PanelDisplay | None:
    """Builds one panel; None if no panel has this slug."""
    for key, panel in enumerate(panels_for(view), start=1):
        if panel.slug == slug:
            return PanelDisplay(panel, draw_panel(panel, view), key)
    return None


def draw_panel(panel: Panel, view: CaptureView) -> PanelBody:
    """Builds the content, or a placeholder if the panel needs data the stored analysis omits."""
    content = panel.draw(view)
    if view.not_read and panel.reads_all:
        return replace(content, content=None, why_empty=view.not_read, later="")
    if view.in_full or not panel.reads_all or (content.why_empty and not is_truncated(panel, view)):
        return content
    later = f"Read from {size(len(view.body))} when it comes into view."
    return replace(
        content, count=panel_count(panel, content, view), content=None, why_empty="", later=later
    )


def is_truncated(panel: Panel, view: CaptureView) -> bool:
    """True if the stored analysis cuts a field called like the panel's slug (`/tool_calls`)."""
    return any(cut.pointer.endswith(f"/{panel.slug}") for cut in view.cuts)


def panel_count(panel: Panel, content: PanelBody, view: CaptureView) -> str:
    if not content.why_empty:
        return content.count
    return f"{sum(cut.length for cut in view.cuts if cut.pointer.endswith(f'/{panel.slug}')):,}"


def unread_reason(view: CaptureView) -> str:
    """Explains why the body could not be read; empty if it was."""
    if view.analysis is not None:
        repair = view.analysis.repair
        is_read = repair is not None and repair.is_read
        return "" if is_read else UNREAD_REASONS.get(view.analysis.verdict, "")
    if view.row.state == "quarantined":
        return "This capture could not be analysed. Its bytes are below, exactly as received."
    return "Not analysed yet. This page updates by itself."
