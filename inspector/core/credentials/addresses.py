"""Credentials in addresses: user and password before a host, and parameters wherever they stand.

An address is read as it is and with its percent escapes undone, again and again: a name may be
escaped, and an address may stand inside another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.credentials import keys
from inspector.core.credentials.names import is_parameter
from inspector.core.credentials.spans import REMOVED, Span, merged, origins, removed

MOST_LEVELS = 6
"""What is escaped more often than that is not read; then all of it is taken out."""

_ESCAPE = re.compile(r"%[0-7][0-9A-Fa-f]")
_AUTHORITY = re.compile(
    r"(?:(?<=:)[/\\]{1,8}+|(?:^|(?<=[\s<\"'=(,]))[/\\]{2,8}+)([^/\\?#\s\"<>]*+)"
)
_BARE = re.compile(r"\s*+(?:(?:https?|wss?):)?([^/\\?#\s\"<>]*+)", re.IGNORECASE)
_PORT = re.compile(r"\d*+")
_PARAMETER = re.compile(r"(?:^|[?#&;\s<\"',(|])([^?#&;=\s<>\"',(|/\\]{1,200}+)=")
_OF_PATH = re.compile(r"[^/\\?#;&\s\"<>]*+")
_OF_QUERY = re.compile(r"(?:[^&#;]|;(?![^&#;=]*+=))*+")
_OF_TEXT = re.compile(r"[^&#;\s\"<>()]*+")


def cleaned(address: str) -> str:
    """An address that is one as a whole; without user and password, and their ``@``."""
    return removed(address, spans(address)).replace(f"{REMOVED}@", "")


def may_hold(text: str) -> bool:
    """Cheap, and true of most texts that hold an address or a parameter."""
    return "=" in text or "@" in text or "%" in text


def spans(text: str, *, is_whole: bool = True) -> list[Span]:
    """``is_whole``: all of the text is one address; else addresses stand somewhere in it."""
    levels = [text]
    while len(levels) <= MOST_LEVELS and _ESCAPE.search(levels[-1]):
        levels.append(_ESCAPE.sub(_unescaped, levels[-1]))
    if len(levels) > MOST_LEVELS:
        return [Span(0, len(text))]
    found = merged(_of_level(levels[-1], is_whole))
    for level in reversed(levels[:-1]):
        found = merged([*origins(level, _ESCAPE, found), *_of_level(level, is_whole)])
    return found


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[0][1:], 16))


def _of_level(text: str, is_whole: bool) -> Iterator[Span]:
    yield from keys.in_value(text)
    if "@" in text:
        yield from _users(text)
    if "=" in text:
        yield from _parameters(text, is_whole)


def _users(text: str) -> Iterator[Span]:
    last = text.rfind("@")
    for found in _AUTHORITY.finditer(text):
        yield from _user(text, *found.span(1), last)
    bare = _BARE.match(text)
    if bare and ":" in bare[1]:
        yield from _user(text, *bare.span(1), last)


def _user(text: str, start: int, end: int, last: int) -> Iterator[Span]:
    at = text.rfind("@", start, end)
    if at < 0 and _is_no_host(text[start:end]):
        # A slash in a password ends what looks like the host; the real one follows the sign.
        at = last if last >= end else -1
    if at > start:
        yield Span(start, at)


def _is_no_host(authority: str) -> bool:
    host, colon, port = authority.rpartition(":")
    return bool(colon and host) and host[0] != "[" and not _PORT.fullmatch(port)


def _parameters(text: str, is_whole: bool) -> Iterator[Span]:
    query = min((at for sign in "?#" if (at := text.find(sign)) >= 0), default=len(text))
    for found in _PARAMETER.finditer(text):
        in_path = text[found.start()] == ";" and found.start() < query
        values = _OF_PATH if in_path else _OF_QUERY if is_whole else _OF_TEXT
        value = values.match(text, found.end())
        if value and value[0] not in ("", REMOVED) and is_parameter(found[1], value[0]):
            yield Span(*value.span())
