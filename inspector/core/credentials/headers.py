"""Removes credentials from headers.

Of a request only headers that are known to be harmless are kept. Of a response, which people
inspect to find out what happened, those are removed whose name or value indicates a credential.
"""

import base64
import binascii
import re
from collections.abc import Callable, Iterator

from inspector.core.credentials import key_patterns, urls
from inspector.core.credentials.names import is_credential, is_kept_of_requests, is_own
from inspector.core.credentials.spans import REMOVED_MARK, TextSpan, remove_spans
from inspector.core.wire.exchange import Headers

CHARACTERS = 262_144
"""Limit on all header values of a message together; servers accept much less."""

SUBPROTOCOLS = "sec-websocket-protocol"
COOKIES = ("cookie", "set-cookie")
# As in "session_token=4fd0a1b2" and '"apiKey": "4fd0a1b2"' inside of a value.
_PAIR = re.compile(
    r"([A-Za-z][A-Za-z0-9_.-]{1,60}+)[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Za-z0-9._~+/=-]{8,}+)"
)
# As in "Bearer ".
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|key)\s++", re.ASCII)
# As in "=abc" of "session=abc; theme=dark".
_COOKIE = re.compile(r"=([^;=]++)")


def of_request(headers: Headers) -> Headers:
    return tuple(_clean_value(headers, _of_request))


def of_response(headers: Headers) -> Headers:
    return tuple(_clean_value(headers, _of_response))


def _clean_value(headers: Headers, clean: Callable[[str, str], str]) -> Iterator[tuple[str, str]]:
    """Clean each value. Values beyond ``CHARACTERS`` are removed without being looked at."""
    left = CHARACTERS
    for name, value in headers:
        left -= len(value)
        yield name, clean(name, value) if left >= 0 else REMOVED_MARK


def clean_header_value(value: str) -> str:
    """Remove credentials from a value whose header's name does not indicate one."""
    return remove_spans(value, _passages(value)).replace(f"{REMOVED_MARK}@", "")


def _of_request(name: str, value: str) -> str:
    if not value.strip():
        return value
    if not is_kept_of_requests(name):
        return REMOVED_MARK
    if name.lower() == SUBPROTOCOLS:
        return ", ".join(map(_subprotocol, value.split(",")))
    if name.lower() == ":path":
        return urls.clean_url(value)
    return clean_header_value(value)


def _of_response(name: str, value: str) -> str:
    if not value.strip():
        return value
    return REMOVED_MARK if is_credential(name, value) else clean_header_value(value)


def _passages(value: str) -> Iterator[TextSpan]:
    yield from key_patterns.key_spans_in_value(value)
    if urls.may_hold(value):
        yield from urls.spans(value, is_whole=False)
    if "=" in value or ":" in value:
        for found in _PAIR.finditer(value):
            if found[2] != REMOVED_MARK and is_credential(found[1], found[2]):
                yield TextSpan(*found.span(2))


def _subprotocol(offered: str) -> str:
    """Remove a key from an offered WebSocket subprotocol, where clients in browsers put it."""
    text = offered.strip()
    low = text.lower()
    named = max(low.rfind(word) for word in ("key", "token", "bearer", "auth"))
    dot = text.find(".", named) if named >= 0 else -1
    if dot >= 0:
        return f"{text[: dot + 1]}{REMOVED_MARK}"
    return REMOVED_MARK if key_patterns.is_random(text) else clean_header_value(text)


def carried_credentials(headers: Headers) -> Iterator[str]:
    """Yield the bare credentials of a request, for finding them elsewhere."""
    left = CHARACTERS
    for name, value in headers:
        left -= len(value)
        if left < 0:
            return
        if name.lower() in COOKIES:
            yield from (
                found[1].strip()
                for found in _COOKIE.finditer(value)
                if key_patterns.is_random(found[1])
            )
        elif is_own(name) and is_credential(name, value):
            yield from _secrets(value.strip())
        elif name.lower() == SUBPROTOCOLS:
            yield from filter(None, map(_offered_secret, value.split(",")))
        elif name.lower() == ":path":
            yield from (value[start:end] for start, end in urls.spans(value))
        else:
            yield from (value[start:end] for start, end in key_patterns.key_spans_in_value(value))


def _secrets(value: str) -> Iterator[str]:
    """Yield the value after the name of its scheme; for Basic the password as well."""
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
    return text[len(cleaned) - len(REMOVED_MARK) :] if cleaned.endswith(REMOVED_MARK) else ""
