"""A panel of the capture page: one module and one template of the same name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.capture.page.capture_view import CaptureView


@dataclass(frozen=True, slots=True)
class PanelBody:
    """The content of a panel for one capture.

    ``count`` is shown in the navigation. A panel without ``content`` shows ``why_empty``, one
    sentence with the reason. A slow panel sets ``later`` to a placeholder and is fetched when it
    comes into view.
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
    """A panel with its content; ``key`` is its keyboard shortcut."""

    panel: Panel
    body: PanelBody
    key: int
