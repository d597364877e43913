"""Audio of a choice for the page: format, size, transcript and expiry."""

from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec import UNSET

from inspector.core.completion import Choice
from inspector.core.media.audio import HEAD_CHARACTERS, MessageAudio, audio_of, decode_audio
from inspector.dashboard.capture.choices.passages import TextPassage, text_passage
from inspector.formatting.invisible_characters import (
    TextSegment,
    exact_segments,
    spell_out_invisible,
)
from inspector.formatting.wire_values import wire_word

AUDIO_FILE_EXTENSIONS = {
    "audio/wav": "wav",
    "audio/mpeg": "mp3",
    "audio/aac": "aac",
    "audio/flac": "flac",
    "audio/ogg": "ogg",
}
"""Media types that may be served for audio, with their file extensions."""


@dataclass(frozen=True, slots=True)
class SpeechDisplay:
    id: tuple[TextSegment, ...]
    is_id_sent: bool
    byte_length: int
    media_type: str | None
    """None if the audio can only be downloaded."""
    why_silent: str
    """Why no audio can be played; empty where it can."""
    expires: datetime | None
    transcript: TextPassage


def speech_display(choice: Choice, whole_length: int | None = None) -> SpeechDisplay | None:
    """Describe the audio; ``whole_length`` is of the base64 if the choice holds only its head."""
    audio = audio_of(choice)
    return None if audio is None else audio_display(audio, whole_length)


def audio_display(audio: MessageAudio, whole_length: int | None = None) -> SpeechDisplay:
    is_sound = decode_audio((audio.data or "")[:HEAD_CHARACTERS]) is not None
    length = audio.byte_length if whole_length is None else whole_length * 3 // 4
    return SpeechDisplay(
        id=exact_segments(wire_word(audio.id)),
        is_id_sent=audio.id is not UNSET,
        byte_length=length if is_sound else 0,
        media_type=audio.media_type,
        why_silent=no_player_reason(audio, is_sound),
        expires=parse_unix_seconds(audio.expires_at),
        transcript=text_passage("transcript", audio.transcript),
    )


def no_player_reason(audio: MessageAudio, is_sound: bool) -> str:
    if audio.data is None:
        return "No audio data was sent."
    if not is_sound:
        return "The data field is not base64, so it cannot be played."
    if audio.media_type is None:
        if audio.stated_type is not None:
            stated = spell_out_invisible(audio.stated_type[:100])
            return f"Raw samples ({stated}) are in no container, so they cannot be played."
        return "Raw samples such as pcm16 do not state their sample rate, so they cannot be played."
    return ""


def parse_unix_seconds(unix_seconds: int | None) -> datetime | None:
    """Convert a Unix timestamp; None also for values outside the range of ``datetime``."""
    try:
        return None if unix_seconds is None else datetime.fromtimestamp(unix_seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return None
