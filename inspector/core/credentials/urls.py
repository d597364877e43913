"""Finds credentials in URLs: user and password before the host, and parameters anywhere.

A URL is searched as it is and with its percent escapes undone, repeatedly: a name may be escaped,
and a URL may stand inside another.
"""

import re
from collections.abc import Iterator

from inspector.core.credentials import key_patterns
from inspector.core.credentials.names import is_parameter
from inspector.core.credentials.spans import (
    REMOVED_MARK,
    TextSpan,
    merge_spans,
    remove_spans,
    source_spans,
)

MAX_LEVELS = 6
"""A text escaped more often is removed entirely."""

# As in "%2F".
_ESCAPE = re.compile(r"%[0-7][0-9A-Fa-f]")
# As in "//user:password@host" behind "https:", and where a text begins.
_AUTHORITY = re.compile(
    r"(?:(?<=:)[/\\]{1,8}+|(?:^|(?<=[\s<\"'=(,]))[/\\]{2,8}+)([^/\\?#\s\"<>]*+)"
)
# As in "https://api.example" and "//api.example".
_BARE = re.compile(r"\s*+(?:(?:https?|wss?):)?([^/\\?#\s\"<>]*+)", re.IGNORECASE)
# As in "8443" of "host:8443", which is no password.
_PORT = re.compile(r"\d*+")
# As in "?key=", "&key=".
_PARAMETER = re.compile(r"(?:^|[?#&;\s<\"',(|])([^?#&;=\s<>\"',(|/\\]{1,200}+)=")
_ODD_PARAMETER = re.compile(r"[?#&]([A-Za-z][A-Za-z0-9_.-]{1,60}+)[:@]")
"""With another sign in place of the one that belongs there."""
# As in "v1" of "/v1/models".
_OF_PATH = re.compile(r"[^/\\?#;&\s\"<>]*+")
# As in "a;b" of "?x=a;b&y=c", but "a" of "?x=a;y=c".
_OF_QUERY = re.compile(r"(?:[^&#;]|;(?![^&#;=]*+=))*+")
# The value of "(see ?key=abc)".
_OF_TEXT = re.compile(r"[^&#;\s\"<>()]*+")


def clean_url(address: str) -> str:
    """Remove credentials from a URL; user and password together with their ``@``."""
    return remove_spans(address, spans(address)).replace(f"{REMOVED_MARK}@", "")


def may_hold(text: str) -> bool:
    """Return a cheap test, True for most texts that contain a URL or a parameter."""
    return "=" in text or "@" in text or "%" in text


def spans(text: str, *, is_whole: bool = True) -> list[TextSpan]:
    """Return the ranges of credentials in a URL (``is_whole``), or in a text that may have URLs."""
    levels = [text]
    while len(levels) <= MAX_LEVELS and _ESCAPE.search(levels[-1]):
        levels.append(_ESCAPE.sub(_unescaped, levels[-1]))
    if len(levels) > MAX_LEVELS:
        return [TextSpan(0, len(text))]
    found = merge_spans(_of_level(levels[-1], is_whole))
    for level in reversed(levels[:-1]):
        found = merge_spans([*source_spans(level, _ESCAPE, found), *_of_level(level, is_whole)])
    return found


def _unescaped(found: re.Match[str]) -> str:
    return chr(int(found[0][1:], 16))


def _of_level(text: str, is_whole: bool) -> Iterator[TextSpan]:
    yield from key_patterns.key_spans_in_value(text)
    if "@" in text:
        yield from _userinfos(text)
    if "=" in text:
        yield from _parameters(text, is_whole)
    if "?" in text or "#" in text:
        yield from _odd_parameters(text)


def _userinfos(text: str) -> Iterator[TextSpan]:
    last = text.rfind("@")
    for found in _AUTHORITY.finditer(text):
        yield from _userinfo(text, *found.span(1), last)
    bare = _BARE.match(text)
    if bare and ":" in bare[1]:
        yield from _userinfo(text, *bare.span(1), last)


def _userinfo(text: str, start: int, end: int, last: int) -> Iterator[TextSpan]:
    at = text.rfind("@", start, end)
    if at < 0 and _is_no_host(text[start:end]):
        # A slash in a password ends what looks like the host; the real host follows the last "@".
        at = last if last >= end else -1
    if at > start:
        yield TextSpan(start, at)


def _is_no_host(authority: str) -> bool:
    host, colon, port = authority.rpartition(":")
    return bool(colon and host) and host[0] != "[" and not _PORT.fullmatch(port)


def _parameters(text: str, is_whole: bool) -> Iterator[TextSpan]:
    query = min((at for sign in "?#" if (at := text.find(sign)) >= 0), default=len(text))
    for found in _PARAMETER.finditer(text):
        in_path = text[found.start()] == ";" and found.start() < query
        values = _OF_PATH if in_path else _OF_QUERY if is_whole else _OF_TEXT
        value = values.match(text, found.end())
        if value and value[0] not in ("", REMOVED_MARK) and is_parameter(found[1], value[0]):
            yield TextSpan(*value.span())


def _odd_parameters(text: str) -> Iterator[TextSpan]:
    for found in _ODD_PARAMETER.finditer(text):
        value = _OF_TEXT.match(text, found.end())
        if value and value[0] not in ("", REMOVED_MARK) and is_parameter(found[1], value[0]):
            yield TextSpan(*value.span())
