"""Speech of a choice as the page shows it: its size and kind, what is said, until when it lives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from inspector.core.audio import HEAD_CHARACTERS, Audio, audio_of, decoded
from inspector.core.completion import Choice
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.passages import Passage, passage
from inspector.dashboard.wire import wire_word

ENDINGS = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/aac": "aac",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
}
"""Every media type that is ever served for speech, with the ending of its file."""


@dataclass(frozen=True, slots=True)
class Speech:
    id: tuple[Segment, ...]
    byte_length: int
    media_type: str | None
    """None where only a download is offered."""
    why_silent: str
    """Why there is nothing to play; empty where there is."""
    expires: datetime | None
    transcript: Passage

    @property
    def can_download(self) -> bool:
        return self.byte_length > 0


def speech_of(choice: Choice, whole_length: int | None = None) -> Speech | None:
    """``whole_length``: of the base64, where the choice holds only the head of it."""
    audio = audio_of(choice)
    if audio is None:
        return None
    is_sound = decoded((audio.data or "")[:HEAD_CHARACTERS]) is not None
    length = audio.byte_length if whole_length is None else whole_length * 3 // 4
    return Speech(
        id=exact(wire_word(audio.id)),
        byte_length=length if is_sound else 0,
        media_type=audio.media_type,
        why_silent=why_silent(audio, is_sound),
        expires=moment_of(audio.expires_at),
        transcript=passage("transcript", audio.transcript),
    )


def why_silent(audio: Audio, is_sound: bool) -> str:
    if audio.data is None:
        return "No audio data was sent."
    if not is_sound:
        return "The data field is not base64, so it cannot be played."
    if audio.media_type is None:
        return "Raw samples such as pcm16 do not state their sample rate, so they cannot be played."
    return ""


def moment_of(unix_seconds: int | None) -> datetime | None:
    """None also where no calendar has that moment."""
    try:
        return None if unix_seconds is None else datetime.fromtimestamp(unix_seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
