from datetime import UTC, datetime
from typing import Any

from inspector.core.completion import Choice
from inspector.dashboard.capture.choices.speech import SpeechDisplay, speech_display

WAV = "UklGRiQAAABXQVZF"


def speech(**audio: Any) -> SpeechDisplay:
    found = speech_display(Choice(index=0, extras={"/message/audio": audio}))
    assert found is not None
    return found


def test_speech_with_a_container_can_be_played() -> None:
    found = speech(id="a1", data=WAV, expires_at=1734571490, transcript="Hello.")
    assert (found.media_type, found.byte_length, found.why_silent) == ("audio/wav", 12, "")
    assert found.expires == datetime(2024, 12, 19, 1, 24, 50, tzinfo=UTC)
    assert found.transcript.length == 6


def test_samples_without_a_container_can_only_be_downloaded() -> None:
    found = speech(data="AQACAA==")
    assert found.media_type is None and found.byte_length == 4
    assert found.why_silent.startswith("Raw samples")


def test_speech_without_data_says_why_it_is_silent() -> None:
    assert speech(id="a1").why_silent == "No audio data was sent."
    broken = speech(data="not base64!")
    assert broken.why_silent.startswith("The data field is not base64")
    assert broken.byte_length == 0


def test_a_moment_that_no_calendar_has_is_none() -> None:
    assert speech(data=WAV, expires_at=10**30).expires is None
    assert speech(data=WAV, expires_at=-(10**18)).expires is None
    assert speech(data=WAV).transcript.absent == "not sent"


def test_a_choice_that_says_nothing_aloud_has_no_speech() -> None:
    assert speech_display(Choice(index=0, content="text")) is None
