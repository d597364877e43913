"""Reads key and upstream of a call from its address and one header, never from the body.

``/proxy/<key>/<upstream>/<rest>``, or ``/proxy/<upstream>/<rest>`` with ``X-Inspector-Key``.
"""

import hashlib
import re
from dataclasses import dataclass
from urllib.parse import unquote

from inspector.proxy.messages import Refusal

PREFIX = "/proxy/"
KEY_HEADER = b"x-inspector-key"
KEY_BEGINS = "ri_"
MAX_NAME_CHARACTERS = 200
"""Characters of a key or an upstream's name; longer ones are not worth a question to the database.
"""
MAX_ESCAPE_LAYERS = 3
"""Layers that are undone; what is still escaped then is refused: a server behind it may go on."""
_ODD = re.compile(r"[\x00-\x1f\x7f\\]|[\xc0\xc1][\x80-\xbf]|\xe0[\x80-\x9f]|\xf0[\x80-\x8f]")
"""Controls, backslashes, and signs in more bytes of UTF-8 than they need (RFC 3629, 10): a lenient
server reads ``%c0%ae`` as a dot.
"""


@dataclass(frozen=True, slots=True)
class CallRoute:
    key_sha256: str
    upstream: str
    rest: str
    """Path below the upstream's base: empty, or one that begins with a slash."""


def route_of(raw_path: str, key_header: str | None) -> CallRoute | Refusal:
    """``raw_path`` is the path as it came, escapes included, without the query."""
    first, slash, others = raw_path.removeprefix(PREFIX).partition("/")
    if first.startswith(KEY_BEGINS):
        key: str | None = first
        first, slash, others = others.partition("/")
    else:
        key = key_header
    if not key or len(key) > MAX_NAME_CHARACTERS:
        return Refusal.UNKNOWN_KEY
    if not _is_name(first) or climbs(slash + others):
        return Refusal.UNKNOWN_UPSTREAM
    return CallRoute(_sha256(key), first, slash + others)


def climbs(rest: str) -> bool:
    """Return True for a path that some server on the way may read as one above the upstream's base.

    Not resolved but refused: no client sends such paths, and two servers that resolve them
    differently are the attack.
    """
    plain = rest
    for _ in range(MAX_ESCAPE_LAYERS):
        plain = unquote(plain, "latin-1")
    if "%" in plain and unquote(plain, "latin-1") != plain:
        return True
    if rest.startswith("//") or _ODD.search(plain):
        return True
    # A parameter (``..;a=b``) is cut off by some servers.
    return any(segment.partition(";")[0] in (".", "..") for segment in plain.split("/"))


def _is_name(text: str) -> bool:
    return re.fullmatch(rf"[A-Za-z0-9._~-]{{1,{MAX_NAME_CHARACTERS}}}", text) is not None


def _sha256(key: str) -> str:
    """Hash a key as the team's keys are stored."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
