"""The panels of the capture page, found in this folder: one module each, holding one ``PANEL``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from inspector.core.analysis import Verdict
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Panel, Shown

ILLEGIBLE: dict[str, str] = {
    Verdict.UNREADABLE: "The body is not valid JSON, so nothing was read from it.",
    Verdict.NOT_A_RESPONSE: "No dialect recognised this body, so nothing was read from it.",
}


@cache
def found() -> tuple[Panel, ...]:
    """Every panel by its position; modules in name order where two ask for the same one."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    panels = [import_module(f"{__name__}.{name}").PANEL for name in names]
    return tuple(sorted(panels, key=lambda panel: panel.position))


def build(view: CaptureView) -> list[Shown]:
    """Pure: what each panel says of this capture."""
    return [Shown(panel, panel.draw(view), key) for key, panel in enumerate(found(), start=1)]


def unread(view: CaptureView) -> str:
    """Why nothing can be said of what the body holds; empty where it was read."""
    if view.analysis is not None:
        return ILLEGIBLE.get(view.analysis.verdict, "")
    if view.row.state == "quarantined":
        return "This capture could not be inspected. Its bytes are below, exactly as they came."
    return "Not inspected yet. This page fills in by itself."
