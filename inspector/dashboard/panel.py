"""What a panel is: one aspect of a capture, one module, one template of the same name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.capture_view import CaptureView


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a panel has to say of one capture.

    ``count`` stands in the rail. A panel without ``content`` stays, and ``why_empty`` is one
    sentence that names the reason with its evidence. One that takes long to draw says in ``later``
    what will stand here, and is fetched when it comes into view.
    """

    count: str = "none"
    content: Any = None
    why_empty: str = ""
    later: str = ""
    tone: str = ""
    """``error`` or ``warning`` where the panel holds one."""


@dataclass(frozen=True, slots=True)
class Panel:
    """One aspect of the capture page; its template is ``dashboard/panels/<slug>.html``."""

    position: int
    slug: str
    title: str
    draw: Callable[[CaptureView], Drawn]
    reads_all: bool = False
    """It shows what the stored analysis does not keep: long texts, logprobs, events."""

    @property
    def template(self) -> str:
        return f"dashboard/panels/{self.slug}.html"


@dataclass(frozen=True, slots=True)
class Shown:
    """A panel with what it says of this capture; ``key`` is the number that jumps to it."""

    panel: Panel
    drawn: Drawn
    key: int
