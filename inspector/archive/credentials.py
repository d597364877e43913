"""Credentials do not belong to the evidence: what stood in their place is removed on the way in.

Names decide, not values; a name that merely speaks of tokens, such as a rate limit's, is kept.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

REMOVED = "[removed]"

_SECRET = re.compile(r"auth|cookie|credential|key|passw|secret|session|signature|token", re.I)
_HARMLESS = re.compile(
    r"(x-|anthropic-)?ratelimit-.*|.*max[-_]tokens.*|idempotency-key|www-authenticate"
    r"|access-control-.*|sec-websocket-.*|x-request-id|.*authority",
    re.I,
)

Headers = tuple[tuple[str, str], ...]


def without_credentials(headers: Headers) -> Headers:
    return tuple((name, REMOVED if _is_secret(name) else value) for name, value in headers)


def url_without_credentials(url: str) -> str:
    """Neither user and password before the host nor the values of telling query parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return REMOVED
    host = parts.netloc.rpartition("@")[2]
    query = "&".join(_parameter(text) for text in parts.query.split("&"))
    return urlunsplit((parts.scheme, host, parts.path, query, parts.fragment))


def _parameter(text: str) -> str:
    name, equals, _ = text.partition("=")
    return f"{name}={REMOVED}" if equals and _is_secret(name) else text


def _is_secret(name: str) -> bool:
    return bool(_SECRET.search(name)) and not _HARMLESS.fullmatch(name)
