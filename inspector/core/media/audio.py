"""Audio inside a message: base64 with its transcript, and its media type.

Source: ``message.audio`` of the chat completion object; a stream sends ``delta.audio`` in pieces.
Other formats have a part of the message with base64 and its media type.
"""

import re
from base64 import b64decode

import msgspec
from msgspec import UNSET, UnsetType

from inspector.core.completion import Block, BlockKind, Choice
from inspector.core.json import Json

HEAD_CHARACTERS = 64
"""Length of the base64 that holds a file's signature."""

AUDIO_NAMES = ("inlineData", "inline_data", "input_audio", "audio", "source")
"""Objects that hold the audio of a part."""
TYPE_NAMES = ("mimeType", "mime_type", "media_type")
# As in "UklGRg==", in several pieces each with its padding.
BASE64 = re.compile(r"(?:[A-Za-z0-9+/]++={0,2}+\s*+)*+")
# As in "UklGRg".
PIECE = re.compile(r"[A-Za-z0-9+/]+")

FILE_SIGNATURES: tuple[tuple[bytes, int, str], ...] = (
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
"""Signature, its offset and media type of each format that can be requested but pcm16."""


class MessageAudio(msgspec.Struct, frozen=True, kw_only=True):
    id: Json | UnsetType = UNSET
    expires_at: int | None = None
    """Unix seconds; None if it was not sent as a whole number."""
    transcript: str | None | UnsetType = UNSET
    data: str | None = None
    """Base64 as sent, None if none was sent."""
    stated_type: str | None = None
    """Media type as sent."""

    @property
    def media_type(self) -> str | None:
        """Media type by the first bytes; None for samples without a container."""
        head = decode_audio((self.data or "")[:HEAD_CHARACTERS]) or b""
        return next((kind for sign, at, kind in FILE_SIGNATURES if head.startswith(sign, at)), None)

    @property
    def byte_length(self) -> int:
        return sum(len(piece) * 3 // 4 for piece in PIECE.findall(self.data or ""))


def audio_of(choice: Choice) -> MessageAudio | None:
    return read_audio(choice.extras.get("/message/audio"))


def audio_of_block(block: Block) -> MessageAudio | None:
    """Return the audio of a part, perhaps in an object inside it; None for others."""
    if block.kind is not BlockKind.AUDIO:
        return None
    inside = (audio_at(block.value, name) for name in AUDIO_NAMES)
    return read_audio(next((each for each in inside if isinstance(each, dict)), block.value))


def audio_at(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, dict) else None


def read_audio(sent: Json) -> MessageAudio | None:
    if not isinstance(sent, dict):
        return None
    stated = (sent.get(name) for name in TYPE_NAMES)
    expires, data, words = (sent.get(name, UNSET) for name in ("expires_at", "data", "transcript"))
    return MessageAudio(
        id=sent.get("id", UNSET),
        expires_at=expires if expires.__class__ is int else None,
        transcript=words if isinstance(words, str) or words is None else UNSET,
        data=data if isinstance(data, str) and data else None,
        stated_type=next((text for text in stated if isinstance(text, str) and text), None),
    )


def decode_audio(data: str) -> bytes | None:
    """Decode base64, whose pieces may each end in padding; None if it is not base64."""
    if not BASE64.fullmatch(data):
        return None
    return b"".join(map(_piece, PIECE.findall(data)))


def _piece(text: str) -> bytes:
    whole = text[: len(text) - 1] if len(text) % 4 == 1 else text
    return b64decode(whole + "=" * (-len(whole) % 4))
