"""Reads from address and headers which stored answer a caller wants again, and by which key.

``/replay/<capture>/<rest>`` or ``/replay/set/<captures>/<rest>``; the key stands where client
libraries put that of their provider.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import parse_qsl, unquote_plus

from inspector.core.wire.exchange import Headers
from inspector.proxy.headers import RawHeader, value_of
from inspector.proxy.route import KEY_BEGINS, KEY_HEADER, MAX_NAME_CHARACTERS
from inspector.replay.options import HEADER_PREFIX, path_without_options

PREFIX = "/replay/"
SET = "set"
KEY_HEADERS = (KEY_HEADER, b"authorization", b"x-api-key", b"api-key", b"x-goog-api-key")
KEY_PARAMETER = "key"
Pairs = tuple[tuple[str, str], ...]
_OPTION_HEADER = HEADER_PREFIX.encode()


@dataclass(frozen=True, slots=True)
class ReplayRoute:
    key_sha256: str
    target: str
    """As it came, without options; of a set it begins with ``set/``."""
    options: Pairs
    """Those of the path."""
    path: str
    query: str
    """Without the key."""
    headers: Headers
    """Those with options."""

    @property
    def is_of_set(self) -> bool:
        return self.target.startswith(f"{SET}/")


def replay_route_of(raw_path: str, query: str, headers: Sequence[RawHeader]) -> ReplayRoute | None:
    """Returns None if no key is given. ``raw_path`` is the path as it came, escapes included."""
    key = _key(query, headers)
    if key is None:
        return None
    plain, options = path_without_options(raw_path.removeprefix(PREFIX))
    target, slash, rest = plain.partition("/")
    if target == SET:
        captures, slash, rest = rest.partition("/")
        target = f"{SET}/{captures}"
    return ReplayRoute(
        key_sha256=hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest(),
        target=target,
        options=options,
        path=slash + rest,
        query="&".join(filter(None, map(_without_key, query.split("&")))),
        headers=tuple(_options(headers)),
    )


def _key(query: str, headers: Sequence[RawHeader]) -> str | None:
    """The first that looks like a key of ours, else the first of all."""
    given = [key for key in _given(query, headers) if 0 < len(key) <= MAX_NAME_CHARACTERS]
    ours = (key for key in given if key.startswith(KEY_BEGINS))
    return next(ours, given[0] if given else None)


def _given(query: str, headers: Sequence[RawHeader]) -> Iterator[str]:
    for name in KEY_HEADERS:
        value = (value_of(name, headers) or "").strip()
        scheme, _, rest = value.partition(" ")
        yield rest.strip() if scheme.lower() == "bearer" else value
    found = (value for name, value in parse_qsl(query) if name == KEY_PARAMETER)
    yield from (value.partition(";")[0] for value in found)


def _without_key(part: str) -> str:
    """Returns the part of a parameter that is passed on. Behind a key there may be options: see
    ``parse_options``.
    """
    name, _, value = part.partition("=")
    if unquote_plus(name) != KEY_PARAMETER:
        return part
    _, semicolon, options = value.partition(";")
    return f"{KEY_PARAMETER}={semicolon}{options}" if semicolon else ""


def _options(headers: Iterable[RawHeader]) -> Iterator[tuple[str, str]]:
    for name, value in headers:
        if name.startswith(_OPTION_HEADER):
            yield name.decode("latin-1"), value.decode("latin-1")
