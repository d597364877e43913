"""Which headers of a recorded response are replayed."""

from __future__ import annotations

import re
from collections.abc import Iterable

from inspector.core.formats.dialect import names
from inspector.core.wire.exchange import Headers

PREFIX = "x-inspector-"
"""Our own: nothing recorded or asked for may be mistaken for what we say."""
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}").fullmatch
_VALUE = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]{0,8000}").fullmatch
_OF_ONE_CONNECTION = names(
    """
    connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer
    transfer-encoding upgrade
    """
)
_FOR_BROWSERS = names(
    """
    alt-svc clear-site-data content-security-policy content-security-policy-report-only
    public-key-pins refresh report-to service-worker-allowed set-cookie set-cookie2
    strict-transport-security
    """
)
"""What they would take as said by our own site."""
_CODING = "content-encoding"
_LENGTH = "content-length"


def is_replayable(name: str, value: str) -> bool:
    """``name`` in lower case."""
    if name in _OF_ONE_CONNECTION or name in _FOR_BROWSERS or name.startswith(PREFIX):
        return False
    return _NAME(name) is not None and _VALUE(value) is not None


def replayed_headers(recorded: Iterable[tuple[str, str]], *, is_coded: bool) -> Headers:
    """Returns the headers that may be replayed, names in lower case. ``is_coded``: the stored bytes
    have the content coding that the headers name; of decoded ones coding and length were another's.
    """
    left_out = set() if is_coded else {_CODING}
    headers = [(name.lower(), value) for name, value in recorded]
    if not is_coded and any(name == _CODING for name, _ in headers):
        left_out.add(_LENGTH)
    return tuple(
        (name, value)
        for name, value in headers
        if name not in left_out and is_replayable(name, value)
    )
