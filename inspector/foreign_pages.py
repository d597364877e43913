"""What static files say to pages of other sites."""

from __future__ import annotations

from collections.abc import MutableMapping

BUTTON = "/static/feedback/button.js"
BUTTON_SECONDS = 86_400
"""How long a browser keeps the script: it has a name that says no version."""


def add_headers(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """For whitenoise. Any page may load the button, pages that isolate themselves among them."""
    if url == BUTTON:
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        headers["Cache-Control"] = f"public, max-age={BUTTON_SECONDS}"
