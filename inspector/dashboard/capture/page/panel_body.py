"""A panel of the capture page: ``panel.py`` of its subject, and one template."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.formatting.verdicts import UNREAD_REASONS


@dataclass(frozen=True, slots=True)
class PanelBody:
    """The content of a panel for one capture.

    ``count`` is shown in the navigation. A panel without ``content`` shows ``why_empty``, one
    sentence with the reason; with it, ``why_empty`` puts it among the empty ones at the end. A slow
    panel sets ``later`` to a placeholder and is fetched when it comes into view.
    """

    count: str = "none"
    content: Any = None
    why_empty: str = ""
    example: str = ""
    """An exchange envelope that would have what is missing; shown folded."""
    later: str = ""
    template: str = ""
    """In place of the panel's own."""
    tone: str = ""
    """``error`` or ``warning`` if the panel contains one."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel; its template is ``dashboard/capture/panels/<slug>.html``."""

    position: int
    slug: str
    title: str
    draw: Callable[[CaptureView], PanelBody]

    @property
    def template(self) -> str:
        return f"dashboard/capture/panels/{self.slug}.html"


@dataclass(frozen=True, slots=True)
class PanelDisplay:
    """A panel with its content. The keys of a page's panels are their numbers in its order."""

    panel: Panel
    body: PanelBody


def unread_reason(view: CaptureView) -> str:
    """Explain why the body could not be read; empty if it was."""
    if view.analysis is not None:
        repair = view.analysis.repair
        is_read = repair is not None and repair.is_read
        return "" if is_read else UNREAD_REASONS.get(view.analysis.verdict, "")
    if view.not_read:
        return view.not_read
    if view.row.state == "quarantined":
        return "This capture could not be analysed. Its bytes are below, exactly as received."
    return "Not analysed yet. This page updates by itself."
