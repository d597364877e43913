"""Calls from pages of the sites that a team lists, answered as the Fetch standard says."""

from collections.abc import Sequence

from inspector.proxy.headers import RawHeader, value_of
from inspector.proxy.messages import Grant

PREFLIGHT_SECONDS = 600
"""As long as WebKit keeps an answer at most; others would keep it longer."""
_ANSWERS = b"access-control-"


def origin_of(grant: Grant, headers: Sequence[RawHeader]) -> str | None:
    """Return the page's origin where it is one that the team lists."""
    origin = value_of(b"origin", headers)
    return origin if origin in grant.sites else None


def is_preflight(method: str, headers: Sequence[RawHeader]) -> bool:
    return method == "OPTIONS" and value_of(b"access-control-request-method", headers) is not None


def preflight_headers(origin: str, headers: Sequence[RawHeader]) -> list[RawHeader]:
    wanted = value_of(b"access-control-request-headers", headers)
    method = value_of(b"access-control-request-method", headers) or ""
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-methods", method.encode("latin-1")),
        *([(b"access-control-allow-headers", wanted.encode("latin-1"))] if wanted else []),
        (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS),
        (b"vary", b"Origin"),
    ]


def response_headers(origin: str) -> list[RawHeader]:
    return [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-expose-headers", b"*"),
        (b"vary", b"Origin"),
    ]


def replaced(headers: Sequence[RawHeader], origin: str) -> list[RawHeader]:
    """Return a response's headers with our answer to the page in place of the upstream's."""
    kept = [header for header in headers if not header[0].lower().startswith(_ANSWERS)]
    return [*kept, *response_headers(origin)]
