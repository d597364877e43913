"""What can be read of a feedback token without the key of whoever issued it: nothing is verified.

WorkflowAI's server writes ``base64(JSON {"t", "u", "r"}) "." base64(HMAC-SHA256 of that JSON)``,
and without its key the first half alone; its documentation shows ``fb_<id>_<choice>`` (000).
"""

from __future__ import annotations

import json
import re
from base64 import b64decode
from enum import StrEnum

import msgspec

MOST_CHARACTERS = 4_096
MAC_BYTES = 32
DOCUMENTED = re.compile(r"fb_\w+_\d+")
BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
PARTS = {"t": "tenant", "u": "task", "r": "run"}


class TokenShape(StrEnum):
    SIGNED = "signed"
    """Two halves, the second as long as a signature; whether it is one only the issuer can say."""
    UNSIGNED = "unsigned"
    DOCUMENTED = "documented"
    UNKNOWN = "unknown"


class TokenPart(msgspec.Struct, frozen=True):
    """A member of the JSON inside a token; ``meaning`` is empty where none is known."""

    name: str
    meaning: str
    value: str
    """As JSON."""


class FeedbackToken(msgspec.Struct, frozen=True):
    shape: TokenShape
    parts: tuple[TokenPart, ...] = ()


def read_token(token: str) -> FeedbackToken:
    if len(token) > MOST_CHARACTERS:
        return FeedbackToken(TokenShape.UNKNOWN)
    if DOCUMENTED.fullmatch(token):
        return FeedbackToken(TokenShape.DOCUMENTED)
    said, dot, signature = token.partition(".")
    parts = _parts(said)
    is_signed = len(_decoded(signature) or b"") == MAC_BYTES
    if not parts or (dot and not is_signed):
        return FeedbackToken(TokenShape.UNKNOWN)
    return FeedbackToken(TokenShape.SIGNED if dot else TokenShape.UNSIGNED, parts)


def _parts(said: str) -> tuple[TokenPart, ...]:
    try:
        members = json.loads(_decoded(said) or b"")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(members, dict) or not PARTS.keys() <= members.keys():
        return ()
    return tuple(
        TokenPart(name, PARTS.get(name, ""), json.dumps(value, ensure_ascii=False))
        for name, value in members.items()
    )


def _decoded(text: str) -> bytes | None:
    """Either alphabet of base64, with its padding or without."""
    if not BASE64.fullmatch(text):
        return None
    bare = text.rstrip("=")
    try:
        return b64decode(
            bare + "=" * (-len(bare) % 4), altchars=b"-_" if "-" in bare or "_" in bare else None
        )
    except ValueError:
        return None
