"""Our own feedback tokens: signed, and parsed only after their signature was verified.

    ri1.<key, 6 bytes>.<claims, 48 bytes>.<HMAC-SHA-256 of all before the last dot>

each in base64url without padding, 121 characters in all. The key's id stands outside of the claims,
so that these are not parsed before verification. Pure: the caller brings the keys. A JWT would name
its algorithm itself, and bring a library for four fields.
"""

import hmac
import re
import secrets
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from uuid import UUID

PREFIX = "ri1."
# One length and one spelling: of anything else the signature is not even looked at.
CHARACTERS = 121
SECRET_BYTES = 32
"""As long as the hash: a longer key adds nothing (RFC 2104, section 3)."""

# Base64url of 6, 48 and 32 bytes.
_FORM = re.compile(
    r"(?P<signed>ri1\.(?P<key>[A-Za-z0-9_-]{8})\.(?P<payload>[A-Za-z0-9_-]{64}))"
    r"\.(?P<signature>[A-Za-z0-9_-]{43})"
)
_PAYLOAD = struct.Struct(">Q16sQQI4s")
"""Team, capture, choice, made at (microseconds), expires at (seconds), chance."""
_KEY_BYTES, _CHANCE_BYTES = 6, 4
"""Two tokens of one choice that are made in one microsecond differ by chance."""


@dataclass(frozen=True, slots=True)
class TokenClaims:
    """The signed content of a token. ``made_at_us``: microseconds since 1970. ``expires_at``:
    seconds since 1970, the first at which the token is refused.
    """

    team_id: int
    capture_id: UUID
    choice: int
    made_at_us: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class TokenParts:
    """A text cut where a token has its dots, nothing of it verified."""

    key_id: int
    signed: bytes
    payload: str
    signature: bytes


# As long as a token, so that refusing a malformed one takes the same time. No key has the id 0.
INVALID_PARTS = TokenParts(0, b"-" * (CHARACTERS - 44), "-" * 64, b"-" * 43)

_NO_SECRET = secrets.token_bytes(SECRET_BYTES)


def has_own_prefix(text: str) -> bool:
    """Return True for the form of our own tokens, which are never read as foreign ones."""
    return text.startswith(PREFIX)


def new_secret() -> bytes:
    return secrets.token_bytes(SECRET_BYTES)


def sign(key_id: int, secret: bytes, claims: TokenClaims) -> str:
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


def split_token(text: str) -> TokenParts:
    """``INVALID_PARTS`` for whatever has not exactly a token's form, however long it is."""
    found = _FORM.fullmatch(text) if len(text) == CHARACTERS else None
    if found is None:
        return INVALID_PARTS
    key_id = int.from_bytes(urlsafe_b64decode(found["key"]), "big")
    return TokenParts(
        key_id, found["signed"].encode(), found["payload"], found["signature"].encode()
    )


def verify(parts: TokenParts, secret: bytes | None) -> TokenClaims | None:
    """Verify the signature and return the claims; None where it is not by this secret. Without a
    secret the same work is done, so that the time does not tell whether the key exists.
    """
    expected = _signature(_NO_SECRET if secret is None else secret, parts.signed)
    # Text is compared with text: the last character of 43 has bits that decoding would drop.
    is_right = hmac.compare_digest(expected, parts.signature) and secret is not None
    # What nobody signed is not read; as much that says nothing is read in its place.
    claims = _claims(parts.payload if is_right else INVALID_PARTS.payload)
    return claims if is_right else None


def _claims(payload: str) -> TokenClaims:
    team_id, capture, choice, made_at_us, expires_at, _ = _PAYLOAD.unpack(
        urlsafe_b64decode(payload)
    )
    return TokenClaims(team_id, UUID(bytes=capture), choice, made_at_us, expires_at)


def _signature(secret: bytes, signed: bytes) -> bytes:
    return _text(hmac.digest(secret, signed, "sha256")).encode()


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
