"""Finds e-mail addresses in texts (RFC 5321, section 4.1.2)."""

import re
from collections.abc import Iterator

from inspector.core.credentials.spans import TextSpan

LOCAL_CHARACTERS = 64
"""RFC 5321, section 4.5.3.1.1."""
DOMAIN_CHARACTERS = 254
"""A path has 256, with its angle brackets (RFC 5321, section 4.5.3.1.3)."""

# As in "." and "+" of "a.b+c@x.example".
_LOCAL = re.compile(r"[\w.!#$%&'*+/=?^`{|}~-]")
# As in "mail.x.example", "xn--bcher-kva.example".
_DOMAIN = re.compile(r"(?:[^\W_](?:[\w-]{0,61}[^\W_])?\.){1,9}([^\W\d_]{2,24}|xn--[a-z0-9-]{2,59})")
# As in "[192.0.2.1]", "[IPv6:2001:db8::1]".
_LITERAL = re.compile(r"\[(?:\d{1,3}(?:\.\d{1,3}){3}|IPv6:[0-9a-fA-F:.]{2,45})\]")
_FILES = frozenset({"css", "gif", "html", "jpeg", "jpg", "js", "json", "pdf", "png", "svg", "webp"})
"""Endings of names such as ``logo@2x.png``, none of them a top-level domain."""
_NOBODY = frozenset({"git"})
"""Local parts of addresses of programs: ``git@host.example:path``."""


def email_ranges(text: str) -> Iterator[TextSpan]:
    at, behind = text.find("@"), 0
    while at >= 0:
        if end := _end_of(text, start := _local_start(text, at, behind), at):
            yield TextSpan(start, behind := end)
        at = text.find("@", max(at + 1, behind))


def _end_of(text: str, start: int, at: int) -> int | None:
    """Where an address ends; None where there is none around its sign."""
    if start == at:
        return None
    if literal := _LITERAL.match(text, at + 1):
        return literal.end()
    found = _DOMAIN.match(text, at + 1, at + 1 + DOMAIN_CHARACTERS)
    return found.end() if found and _is_address(text[start:at], found[1]) else None


def _local_start(text: str, at: int, behind: int) -> int:
    quoted = _quoted_start(text, at, behind)
    return _plain_start(text, at, behind) if quoted is None else quoted


def _quoted_start(text: str, at: int, behind: int) -> int | None:
    """Return the start of a local part between quotes: ``"first last"@example.com``."""
    if at - behind < 3 or text[at - 1] != '"':
        return None
    start = text.rfind('"', max(behind, at - LOCAL_CHARACTERS), at - 1)
    is_part = start >= 0 and at - start > 2 and text[start + 1 : at - 1].isprintable()
    return start if is_part else None


def _plain_start(text: str, at: int, behind: int) -> int:
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
