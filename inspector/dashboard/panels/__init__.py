"""The panels of the capture page, found in this folder: one module each, holding one ``PANEL``."""

from __future__ import annotations

import pkgutil
from functools import cache
from importlib import import_module

from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Panel, Shown


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
    """Why a panel that needs an analysis has none."""
    if view.row.state == "quarantined":
        return "This capture could not be inspected. Its bytes are below, exactly as they came."
    return "Not inspected yet. This page fills in by itself."
