"""Cross-origin headers of static files."""

from collections.abc import MutableMapping

BUTTON = "/static/feedback/button.js"
# Seconds a browser keeps the script, whose name has no version.
BUTTON_SECONDS = 86_400


def add_static_headers(headers: MutableMapping[str, str], path: str, url: str) -> None:
    """Add headers (for whitenoise): any page, isolated ones too, may load the feedback button."""
    if url == BUTTON:
        headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        headers["Cache-Control"] = f"public, max-age={BUTTON_SECONDS}"
