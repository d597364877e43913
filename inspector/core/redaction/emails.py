"""Finds e-mail addresses in texts (RFC 5321's shape, without quoted local parts)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.core.redaction.text_range import TextRange

LOCAL_CHARACTERS = 64
DOMAIN_CHARACTERS = 254

_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]")
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,9}([^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})")
_FILES = frozenset({"css", "gif", "html", "jpeg", "jpg", "js", "json", "pdf", "png", "svg", "webp"})
"""Endings of names such as ``logo@2x.png``, none of them a top-level domain."""
_NOBODY = frozenset({"git"})
"""Local parts of addresses of programs: ``git@host.example:path``."""


def email_ranges(text: str) -> Iterator[TextRange]:
    at, behind = text.find("@"), 0
    while at >= 0:
        start = _local_start(text, at, behind)
        found = _DOMAIN.match(text, at + 1, at + 1 + DOMAIN_CHARACTERS)
        if found and start < at and _is_address(text[start:at], found[1]):
            behind = found.end()
            yield TextRange(start, behind)
        at = text.find("@", max(at + 1, behind))


def _local_start(text: str, at: int, behind: int) -> int:
    start, least = at, max(behind, at - LOCAL_CHARACTERS)
    while start > least and _LOCAL.match(text, start - 1):
        start -= 1
    # What stands around an address is no part of it.
    while start < at and text[start] in ".'*`/=?{|}#&!":
        start += 1
    # In an address of the web, what is given to a name.
    sign = max(text.rfind("=", start, at), text.rfind("/", start, at))
    return start if sign < 0 else sign + 1


def _is_address(local: str, top: str) -> bool:
    if local.endswith(".") or ".." in local or local.lower() in _NOBODY:
        return False
    return top.lower() not in _FILES
