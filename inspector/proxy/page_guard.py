"""Keeps what an upstream sends from being a page, for browsers: decision 0048."""

from collections.abc import Sequence
from typing import Any

from inspector.proxy.asgi import Send
from inspector.proxy.headers import RawHeader

_OF_BROWSERS = b"sec-fetch-"
_PURPOSE = b"sec-fetch-dest"
_TYPE_OPTIONS = b"x-content-type-options"
_GUARDS: list[RawHeader] = [
    (b"content-security-policy", b"sandbox; default-src 'none'"),
    (_TYPE_OPTIONS, b"nosniff"),
]


def is_for_page(headers: Sequence[RawHeader]) -> bool:
    """Return True if a browser wants to load the response. A call of a page's script has
    ``empty``.
    """
    return any(name == _PURPOSE and value not in (b"", b"empty") for name, value in headers)


def guarded(send: Send, headers: Sequence[RawHeader]) -> Send:
    """``send`` for the response to a request with these headers; other programs get it as it is."""
    if not any(name.startswith(_OF_BROWSERS) for name, _ in headers):
        return send

    async def send_guarded(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            # Of several policies all hold, of several type options the first.
            kept = [each for each in message["headers"] if each[0].lower() != _TYPE_OPTIONS]
            message = {**message, "headers": [*kept, *_GUARDS]}
        await send(message)

    return send_guarded
