"""Headers. Of a request those are kept that are known to be harmless; of a response, which people
look at to find out what went on, those are removed whose name or value says that it opens a door.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from inspector.core.credentials import addresses, keys
from inspector.core.credentials.names import is_credential, is_kept_of_requests, is_own
from inspector.core.credentials.spans import REMOVED, Span, removed

Headers = tuple[tuple[str, str], ...]

CHARACTERS = 262_144
"""Of the values of one message: servers take much less."""

SUBPROTOCOLS = "sec-websocket-protocol"
COOKIES = ("cookie", "set-cookie")
_PAIR = re.compile(
    r"([A-Za-z][A-Za-z0-9_.-]{1,60}+)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9._~+/=-]{8,}+)"
)
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|key)\s++", re.ASCII)
_COOKIE = re.compile(r"=([^;=]++)")


def of_request(headers: Headers) -> Headers:
    return tuple(_cleaned(headers, _of_request))


def of_response(headers: Headers) -> Headers:
    return tuple(_cleaned(headers, _of_response))


def _cleaned(headers: Headers, clean: Callable[[str, str], str]) -> Iterator[tuple[str, str]]:
    """What comes behind more than a message can hold is removed unread."""
    left = CHARACTERS
    for name, value in headers:
        left -= len(value)
        yield name, clean(name, value) if left >= 0 else REMOVED


def cleaned_value(value: str) -> str:
    """A value whose name says nothing against it."""
    return removed(value, _passages(value)).replace(f"{REMOVED}@", "")


def _of_request(name: str, value: str) -> str:
    if not value.strip():
        return value
    if not is_kept_of_requests(name):
        return REMOVED
    if name.lower() == SUBPROTOCOLS:
        return ", ".join(map(_subprotocol, value.split(",")))
    if name.lower() == ":path":
        return addresses.cleaned(value)
    return cleaned_value(value)


def _of_response(name: str, value: str) -> str:
    if not value.strip():
        return value
    return REMOVED if is_credential(name, value) else cleaned_value(value)


def _passages(value: str) -> Iterator[Span]:
    yield from keys.in_value(value)
    if addresses.may_hold(value):
        yield from addresses.spans(value, is_whole=False)
    if "=" in value or ":" in value:
        for found in _PAIR.finditer(value):
            if found[2] != REMOVED and is_credential(found[1], found[2]):
                yield Span(*found.span(2))


def _subprotocol(offered: str) -> str:
    """Browsers can send no header of their own with a socket, and put the key in here."""
    text = offered.strip()
    low = text.lower()
    named = max(low.rfind(word) for word in ("key", "token", "bearer", "auth"))
    dot = text.find(".", named) if named >= 0 else -1
    if dot >= 0:
        return f"{text[: dot + 1]}{REMOVED}"
    return REMOVED if keys.is_random(text) else cleaned_value(text)


def carried(headers: Headers) -> Iterator[str]:
    """Credentials of a request by themselves, to be looked for elsewhere."""
    left = CHARACTERS
    for name, value in headers:
        left -= len(value)
        if left < 0:
            return
        if name.lower() in COOKIES:
            yield from (
                found[1].strip() for found in _COOKIE.finditer(value) if keys.is_random(found[1])
            )
        elif is_own(name) and is_credential(name, value):
            yield from _secrets(value.strip())
        elif name.lower() == SUBPROTOCOLS:
            yield from filter(None, map(_offered_secret, value.split(",")))
        elif name.lower() == ":path":
            yield from (value[start:end] for start, end in addresses.spans(value))
        else:
            yield from (value[start:end] for start, end in keys.in_value(value))


def _secrets(value: str) -> Iterator[str]:
    """What follows the name of a scheme, and of Basic the password."""
    scheme = _SCHEME.match(value)
    secret = value[scheme.end() :].strip() if scheme else value
    yield secret
    if scheme and scheme[0].lower().startswith("basic"):
        try:
            pair = base64.b64decode(secret, validate=True).decode()
        except (binascii.Error, ValueError):
            return
        yield pair.partition(":")[2]


def _offered_secret(offered: str) -> str:
    text, cleaned = offered.strip(), _subprotocol(offered)
    return text[len(cleaned) - len(REMOVED) :] if cleaned.endswith(REMOVED) else ""
