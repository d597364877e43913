"""Decodes feedback tokens. Without the issuer's key nothing in them can be verified.

WorkflowAI's server writes ``base64(JSON {"t", "u", "r"}) "." base64(HMAC-SHA256 of that JSON)``, or
without a key the first half alone; WorkflowAI's reference shows ``fb_<id>_<choice>``.
"""

import json
import re
from base64 import b64decode
from enum import StrEnum

import msgspec

MAX_CHARACTERS = 4_096
"""Far above WorkflowAI's and ours; whoever has none may send anything here."""
MAC_BYTES = 32
"""The length of SHA-256."""
# As in "fb_abc123_0".
DOCUMENTED = re.compile(r"fb_\w+_\d+")
# As in "eyJ0IjoxfQ==".
BASE64 = re.compile(r"[A-Za-z0-9+/_-]+={0,2}")
PART_MEANINGS = {"t": "tenant", "u": "task", "r": "run"}


class FeedbackTokenShape(StrEnum):
    SIGNED = "signed"
    """Two halves, the second as long as a signature. Only the issuer can verify it."""
    UNSIGNED = "unsigned"
    DOCUMENTED = "documented"
    UNKNOWN = "unknown"


class FeedbackTokenPart(msgspec.Struct, frozen=True):
    """A member of the JSON inside a token; ``meaning`` is empty if it is not known."""

    name: str
    meaning: str
    value: str
    """JSON text."""


class DecodedFeedbackToken(msgspec.Struct, frozen=True):
    shape: FeedbackTokenShape
    parts: tuple[FeedbackTokenPart, ...] = ()


def read_token(token: str) -> DecodedFeedbackToken:
    if len(token) > MAX_CHARACTERS:
        return DecodedFeedbackToken(FeedbackTokenShape.UNKNOWN)
    if DOCUMENTED.fullmatch(token):
        return DecodedFeedbackToken(FeedbackTokenShape.DOCUMENTED)
    payload, dot, signature = token.partition(".")
    parts = _parts(payload)
    is_signed = len(_decoded(signature) or b"") == MAC_BYTES
    if not parts or (dot and not is_signed):
        return DecodedFeedbackToken(FeedbackTokenShape.UNKNOWN)
    return DecodedFeedbackToken(
        FeedbackTokenShape.SIGNED if dot else FeedbackTokenShape.UNSIGNED, parts
    )


def _parts(payload: str) -> tuple[FeedbackTokenPart, ...]:
    try:
        members = json.loads(_decoded(payload) or b"")
    except (ValueError, RecursionError):
        return ()
    if not isinstance(members, dict) or not PART_MEANINGS.keys() <= members.keys():
        return ()
    return tuple(
        FeedbackTokenPart(name, PART_MEANINGS.get(name, ""), json.dumps(value, ensure_ascii=False))
        for name, value in members.items()
    )


def _decoded(text: str) -> bytes | None:
    """Decode either alphabet of base64, with or without padding; None if it is neither."""
    if not BASE64.fullmatch(text):
        return None
    bare = text.rstrip("=")
    try:
        return b64decode(
            bare + "=" * (-len(bare) % 4), altchars=b"-_" if "-" in bare or "_" in bare else None
        )
    except ValueError:
        return None
