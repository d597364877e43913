"""Which headers pass: all but those of one connection, of cookies and of who asked whom, and of
responses those that a browser would take as said by all of an origin.
"""

import re
from collections.abc import Iterable

from inspector.core.wire.browser_headers import speaks_for_others
from inspector.core.wire.exchange import Headers

RawHeader = tuple[bytes, bytes]

# As in "x y", or nothing.
_NO_NAME = re.compile(rb"[^!#$%&'*+.^_`|~0-9A-Za-z-]|^$")
# A line break, which would begin another header.
_NO_VALUE = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")
_OF_ONE_CONNECTION = frozenset(
    (
        b"connection",
        b"keep-alive",
        b"proxy-authenticate",
        b"proxy-authorization",
        b"proxy-connection",
        b"te",
        b"trailer",
        b"transfer-encoding",
        b"upgrade",
    )
)
_NEVER = _OF_ONE_CONNECTION | frozenset((b"cookie", b"cookie2", b"forwarded", b"x-real-ip"))
OWN = b"x-inspector-"
"""Beginning of headers by which a caller speaks to the inspector; they go to no upstream."""
_OF_REQUESTS = frozenset((b"host", b"expect", b"http2-settings"))
_PROTECTED = frozenset((b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key"))
"""Headers that a caller must not get rid of by ``Connection``, which names those of its connection.
"""


def value_of(name: bytes, headers: Iterable[RawHeader]) -> str | None:
    """Return the first value of a header whose name is given in lower case."""
    for each, value in headers:
        if each == name:
            return value.decode("latin-1")
    return None


def is_websocket(headers: Iterable[RawHeader]) -> bool:
    """Other upgrades are offers that a server may pass over: some clients always offer HTTP/2."""
    return (value_of(b"upgrade", headers) or "").strip().lower() == "websocket"


def has_body(headers: Iterable[RawHeader]) -> bool:
    headers = list(headers)
    length = value_of(b"content-length", headers)
    is_coded = value_of(b"transfer-encoding", headers) is not None
    return is_coded or (length is not None and int(length) > 0)


def has_unknown_coding(headers: Iterable[RawHeader]) -> bool:
    """Return True if the body is more than cut into chunks: that coding ends with its
    connection.
    """
    codings = [value for name, value in headers if name.lower() == b"transfer-encoding"]
    return any(value.strip().lower() != b"chunked" for value in codings)


def are_utf8(headers: Iterable[RawHeader]) -> bool:
    """Others aiohttp would send without the bytes that are none."""
    try:
        for _, value in headers:
            value.decode()
    except UnicodeDecodeError:
        return False
    return True


def are_clean(headers: Iterable[RawHeader]) -> bool:
    """Return False if a header could be read as two by somebody. aiohttp's parser is lenient."""
    return not any(_NO_NAME.search(name) or _NO_VALUE.search(value) for name, value in headers)


def to_upstream(headers: Iterable[RawHeader]) -> list[RawHeader]:
    """Return a request's headers as they are forwarded. Names come in lower case."""
    headers = list(headers)
    left_out = _OF_REQUESTS | _named_by_connection(headers)
    return [
        header
        for header in headers
        if _passes(header[0], left_out) and not header[0].startswith(OWN)
    ]


def to_caller(headers: Iterable[RawHeader]) -> list[RawHeader]:
    """Return a response's headers as they are forwarded, names in their case."""
    lowered = [(name.lower(), value, name) for name, value in headers]
    left_out = _named_by_connection((low, value) for low, value, _ in lowered)
    # Where both are there the coding counts, and the length is that of something else.
    if any(low == b"transfer-encoding" for low, _, _ in lowered):
        left_out |= {b"content-length"}
    return [
        (name, value)
        for low, value, name in lowered
        if _passes(low, left_out)
        and not speaks_for_others(low.decode("latin-1"), value.decode("latin-1"))
    ]


def as_text(headers: Iterable[RawHeader]) -> Headers:
    """Headers as they are recorded: bytes that are not UTF-8 are escaped."""
    return tuple(
        (name.decode("latin-1"), value.decode("utf-8", "backslashreplace"))
        for name, value in headers
    )


def _passes(name: bytes, left_out: frozenset[bytes]) -> bool:
    return not (name in _NEVER or name in left_out or name.startswith(b"x-forwarded-"))


def _named_by_connection(headers: Iterable[RawHeader]) -> frozenset[bytes]:
    named = {
        part.strip().lower()
        for name, value in headers
        if name == b"connection"
        for part in value.split(b",")
    }
    return frozenset(
        name for name in named if not (name in _PROTECTED or name.startswith(b"content-"))
    )
