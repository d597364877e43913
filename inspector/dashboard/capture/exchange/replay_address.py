"""The address at which programs get a capture's answer again, and the line to paste for each client
library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.conf import settings

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.connect.client_code import shell_line
from inspector.teams.upstream_presets import ClientStyle

_STYLES: Mapping[str | None, ClientStyle] = {
    "anthropic": ClientStyle.ANTHROPIC,
    "gemini": ClientStyle.GEMINI,
    "openai-chat": ClientStyle.OPENAI,
    "openai-responses": ClientStyle.OPENAI,
    "openai-text": ClientStyle.OPENAI,
    "workflowai": ClientStyle.OPENAI,
}
"""By format; of others the address alone is shown."""


@dataclass(frozen=True, slots=True)
class ReplayAddress:
    url: str
    """Base address of client libraries."""
    line: str
    """For a shell, where the libraries of the format read a variable; else the address."""


def replay_address(view: CaptureView) -> ReplayAddress | None:
    """Returns None if nothing can be replayed: no proxy, or the capture is not stored whole."""
    if not settings.PROXY_ORIGIN or not view.is_stored or view.facts.is_recording:
        return None
    style = _STYLES.get(view.facts.row.dialect, ClientStyle.OTHER)
    path = "/v1" if style is ClientStyle.OPENAI else ""
    url = f"{settings.PROXY_ORIGIN}/replay/{view.id}{path}"
    return ReplayAddress(url, shell_line(style, url))
