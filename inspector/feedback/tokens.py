"""Our own feedback tokens: signed, and read only after their signature was found right.

    ri1.<key, 6 bytes>.<what is signed for, 48 bytes>.<HMAC-SHA-256 of all before the last dot>

each in base64url without padding, 121 characters in all. The key is named outside of what it signs,
so that nothing of that is looked at before. Pure: keys come in, nothing is asked of a database.
"""

from __future__ import annotations

import hmac
import re
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from uuid import UUID

PREFIX = "ri1."
CHARACTERS = 121
SECRET_BYTES = 32

_FORM = re.compile(
    r"(?P<signed>ri1\.(?P<key>[A-Za-z0-9_-]{8})\.(?P<payload>[A-Za-z0-9_-]{64}))"
    r"\.(?P<signature>[A-Za-z0-9_-]{43})"
)
_PAYLOAD = struct.Struct(">Q16sQQI4s")
"""Team, capture, choice, made at (microseconds), expires at (seconds), chance."""
_KEY_BYTES, _CHANCE_BYTES = 6, 4


@dataclass(frozen=True, slots=True)
class Claims:
    """What a token is good for. ``made_at_us`` counts microseconds from 1970, ``expires_at``
    seconds: the first one at which it is good for nothing.
    """

    team_id: int
    capture_id: UUID
    choice: int
    made_at_us: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class Parts:
    """A text cut where a token has its dots, nothing of it verified."""

    key_id: int
    signed: bytes
    payload: str
    signature: bytes


NO_PARTS = Parts(0, b"-" * (CHARACTERS - 44), "-" * 64, b"-" * 43)
"""Of whatever is no token: as long as one, so that refusing it takes as long. No key is 0."""

_NO_SECRET = secrets.token_bytes(SECRET_BYTES)


def is_ours(text: str) -> bool:
    """By its form: whoever made it, it is never taken for somebody else's token."""
    return text.startswith(PREFIX)


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def sign(key_id: int, secret: bytes, claims: Claims) -> str:
    payload = _PAYLOAD.pack(
        claims.team_id,
        claims.capture_id.bytes,
        claims.choice,
        claims.made_at_us,
        claims.expires_at,
        secrets.token_bytes(_CHANCE_BYTES),
    )
    signed = f"{PREFIX}{_text(key_id.to_bytes(_KEY_BYTES, 'big'))}.{_text(payload)}"
    return f"{signed}.{_signature(secret, signed.encode()).decode()}"


def parts_of(text: str) -> Parts:
    """``NO_PARTS`` for whatever has not exactly a token's form, however long it is."""
    found = _FORM.fullmatch(text) if len(text) == CHARACTERS else None
    if found is None:
        return NO_PARTS
    key_id = int.from_bytes(urlsafe_b64decode(found["key"]), "big")
    return Parts(key_id, found["signed"].encode(), found["payload"], found["signature"].encode())


def verified(parts: Parts, secret: bytes | None) -> Claims | None:
    """None for a signature that is not by this secret; without one, after as much work."""
    expected = _signature(_NO_SECRET if secret is None else secret, parts.signed)
    # Text is compared with text: the last character of 43 has bits that decoding would drop.
    is_right = hmac.compare_digest(expected, parts.signature) and secret is not None
    # What nobody signed is not read; as much that says nothing is read in its place.
    claims = _claims(parts.payload if is_right else NO_PARTS.payload)
    return claims if is_right else None


def _claims(payload: str) -> Claims:
    team_id, capture, choice, made_at_us, expires_at, _ = _PAYLOAD.unpack(
        urlsafe_b64decode(payload)
    )
    return Claims(team_id, UUID(bytes=capture), choice, made_at_us, expires_at)


def _signature(secret: bytes, signed: bytes) -> bytes:
    return _text(hmac.digest(secret, signed, "sha256")).encode()


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
