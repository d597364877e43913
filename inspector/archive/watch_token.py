"""The token in the address of a live view: who may watch which capture.

It says what was so when the page asked for it. Whoever takes it looks again.
"""

from __future__ import annotations

from uuid import UUID

import msgspec
from django.core import signing

SALT = "inspector.archive.watch_token"
TOKEN_SECONDS = 60
"""How long after it was issued a token opens a connection."""


class WatchPermit(msgspec.Struct, frozen=True, array_like=True):
    capture_id: UUID
    user_id: int
    session_proof: str
    """As ``inspector.teams.session_proof`` has it."""
    origin: str
    """Of the page that watches: scheme, host and port, as its browser sends it."""


def issue(permit: WatchPermit) -> str:
    """Signs a token whose characters need no escape in a path."""
    return signing.dumps(msgspec.to_builtins(permit), salt=SALT)


def permit_of(token: str, max_age_seconds: int = TOKEN_SECONDS) -> WatchPermit | None:
    """Returns None for a token that was not issued here or is too old."""
    try:
        found = signing.loads(token, salt=SALT, max_age=max_age_seconds)
        return msgspec.convert(found, WatchPermit)
    except (signing.BadSignature, msgspec.ValidationError):
        return None
