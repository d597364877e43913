"""Selects what of a captured request can be sent again: its target and headers, with a place for
the key where a credential was removed at intake.

Host, length and connection headers are left to the client, and so is Accept-Encoding, so that the
response is readable. Other removed values are left out: the key must not be sent in their place.
"""

from shlex import quote

from inspector.core.credentials.names import is_own
from inspector.core.credentials.spans import REMOVED_MARK
from inspector.core.wire.exchange import Request

KEY_VARIABLE = "API_KEY"
WRITTEN_BY_CLIENTS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)

DEFAULTS_OF_CURL = ("Accept", "User-Agent", "Content-Type")

HeaderValue = tuple[str, ...]
"""Parts of a header value; the key is inserted between them."""


def is_plain(text: str) -> bool:
    """Return True for printable ASCII only: no line ends and no hidden characters."""
    return text.isascii() and text.isprintable()


def sent_headers(request: Request) -> list[tuple[str, HeaderValue]]:
    """Headers to send; repeated ones are combined (RFC 9110, section 5.3)."""
    merged: dict[str, tuple[str, HeaderValue]] = {}
    for name, value in request.headers or ():
        if not is_sent_again(name, value):
            continue
        parts = value_of(name, value)
        if name.lower() in merged:
            first, before = merged[name.lower()]
            merged[name.lower()] = (first, (*before[:-1], f"{before[-1]}, {parts[0]}", *parts[1:]))
        else:
            merged[name.lower()] = (name, parts)
    return list(merged.values())


def is_sent_again(name: str, value: str) -> bool:
    is_name = bool(name) and all(sign.isalnum() or sign in "!#$%&'*+-.^_`|~" for sign in name)
    is_lost = REMOVED_MARK in value and not needs_key(name, value)
    is_ours = name.lower() in WRITTEN_BY_CLIENTS
    return is_name and is_plain(name + value) and not is_ours and not is_lost


def needs_key(name: str, value: str) -> bool:
    """Return True if the removed value was an API credential rather than a browser's (a cookie)."""
    return value == REMOVED_MARK and is_own(name) and name.lower() != "cookie"


def value_of(name: str, value: str) -> HeaderValue:
    if value == REMOVED_MARK:
        return ("Bearer " if name.lower() == "authorization" else "", "")
    return (value.strip(),)


def split_at_key(url: str) -> HeaderValue:
    return tuple(url.split(REMOVED_MARK))


def curl_header(name: str, value: HeaderValue) -> str:
    # curl sends an empty header if its name ends in ";"; with ":" it would drop the header.
    return (
        quote(f"{name};") if value == ("",) else shell_quoted((f"{name}: {value[0]}", *value[1:]))
    )


def shell_quoted(value: HeaderValue) -> str:
    return f'"${KEY_VARIABLE}"'.join(quote(text) if text else "" for text in value) or "''"
