"""Speech inside a message: base64 beside its transcript, and what kind of file it is.

Source: ``message.audio`` of the chat completion object; a stream sends ``delta.audio`` in pieces.
"""

from __future__ import annotations

import re
from base64 import b64decode

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.completion import Choice, Json

HEAD_CHARACTERS = 64
"""Base64 of the bytes that tell the kind of a file."""

BASE64 = re.compile(r"(?:[A-Za-z0-9+/]++={0,2}+\s*+)*+")
PIECE = re.compile(r"[A-Za-z0-9+/]+")

OPENINGS: tuple[tuple[bytes, int, str], ...] = (
    (b"WAVE", 8, "audio/wav"),
    (b"ID3", 0, "audio/mpeg"),
    (b"\xff\xfb", 0, "audio/mpeg"),
    (b"\xff\xf3", 0, "audio/mpeg"),
    (b"\xff\xf2", 0, "audio/mpeg"),
    (b"\xff\xf1", 0, "audio/aac"),
    (b"\xff\xf9", 0, "audio/aac"),
    (b"fLaC", 0, "audio/flac"),
    (b"OggS", 0, "audio/ogg"),
)
"""How a file begins, at which byte, and its media type; the formats that can be asked for, but
pcm16, which has no beginning."""


class Audio(msgspec.Struct, frozen=True, kw_only=True):
    id: Json | UnsetType = UNSET
    expires_at: int | None = None
    """Unix seconds; None where it was not sent as a whole number."""
    transcript: str | None | UnsetType = UNSET
    data: str | None = None
    """Base64 as it was sent; None where there is none."""

    @property
    def media_type(self) -> str | None:
        """Told by the first bytes alone; None for samples without a container."""
        head = decoded((self.data or "")[:HEAD_CHARACTERS]) or b""
        return next((kind for sign, at, kind in OPENINGS if head.startswith(sign, at)), None)

    @property
    def byte_length(self) -> int:
        return sum(len(piece) * 3 // 4 for piece in PIECE.findall(self.data or ""))


def audio_of(choice: Choice) -> Audio | None:
    sent = choice.extras.get("/message/audio")
    if not isinstance(sent, dict):
        return None
    expires, data, words = (sent.get(name, UNSET) for name in ("expires_at", "data", "transcript"))
    return Audio(
        id=sent.get("id", UNSET),
        expires_at=expires if expires.__class__ is int else None,
        transcript=words if isinstance(words, str) or words is None else UNSET,
        data=data if isinstance(data, str) and data else None,
    )


def decoded(data: str) -> bytes | None:
    """The bytes; pieces may end in padding of their own. None where it is no base64."""
    if not BASE64.fullmatch(data):
        return None
    return b"".join(map(_piece, PIECE.findall(data)))


def _piece(text: str) -> bytes:
    whole = text[: len(text) - 1] if len(text) % 4 == 1 else text
    return b64decode(whole + "=" * (-len(whole) % 4))
