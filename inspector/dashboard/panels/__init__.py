"""The panels of the capture page, found in this folder: one module each, holding one ``PANEL``."""

from __future__ import annotations

import pkgutil
from dataclasses import replace
from functools import cache
from importlib import import_module

from inspector.core.analysis import Verdict
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Drawn, Panel, Shown
from inspector.dashboard.templatetags.formats import size

ILLEGIBLE: dict[str, str] = {
    Verdict.UNREADABLE: "The body is not valid JSON, so it has no parsed content.",
    Verdict.NOT_A_RESPONSE: "The body has no known response format, so it has no parsed content.",
}


@cache
def found() -> tuple[Panel, ...]:
    """Every panel by its position; modules in name order where two ask for the same one."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    panels = [import_module(f"{__name__}.{name}").PANEL for name in names]
    return tuple(sorted(panels, key=lambda panel: panel.position))


def build(view: CaptureView) -> list[Shown]:
    """What each panel says of this capture."""
    return [Shown(panel, drawn_now(panel, view), key) for key, panel in enumerate(found(), start=1)]


def build_one(view: CaptureView, slug: str) -> Shown | None:
    """One of them alone, None where there is none of that name."""
    for key, panel in enumerate(found(), start=1):
        if panel.slug == slug:
            return Shown(panel, drawn_now(panel, view), key)
    return None


def drawn_now(panel: Panel, view: CaptureView) -> Drawn:
    """What the stored analysis cannot tell waits until the capture is read again."""
    drawn = panel.draw(view)
    if view.not_read and panel.reads_all:
        return replace(drawn, content=None, why_empty=view.not_read, later="")
    if view.in_full or not panel.reads_all or (drawn.why_empty and not is_cut(panel, view)):
        return drawn
    later = f"Read from {size(len(view.body))} when it comes into view."
    return replace(
        drawn, count=count_of(panel, drawn, view), content=None, why_empty="", later=later
    )


def is_cut(panel: Panel, view: CaptureView) -> bool:
    """The stored analysis is without all of what the panel is named after."""
    return any(cut.pointer.endswith(f"/{panel.slug}") for cut in view.cuts)


def count_of(panel: Panel, drawn: Drawn, view: CaptureView) -> str:
    if not drawn.why_empty:
        return drawn.count
    return f"{sum(cut.length for cut in view.cuts if cut.pointer.endswith(f'/{panel.slug}')):,}"


def unread(view: CaptureView) -> str:
    """Why nothing can be said of what the body holds; empty where it was read."""
    if view.analysis is not None:
        return ILLEGIBLE.get(view.analysis.verdict, "")
    if view.row.state == "quarantined":
        return "This capture could not be analysed. Its bytes are below, exactly as received."
    return "Not analysed yet. This page updates by itself."
