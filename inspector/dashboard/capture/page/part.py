"""One subject's part of a capture's page."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.teams.access import Principal


@dataclass(frozen=True, slots=True)
class Visit:
    """A capture's page and who opens it; ``list_query`` is that of the list it is opened from."""

    principal: Principal
    view: CaptureView
    list_query: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """``show`` loads and returns what the templates need. ``template`` draws a part that stands
    above the panels, where there is something to show.
    """

    show: Callable[[Visit], Mapping[str, Any]]
    template: str = ""
    is_shared: bool = False
    """Shown to whoever has a link, too."""
