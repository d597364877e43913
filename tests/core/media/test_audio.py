import json
from base64 import b64encode
from typing import Any

import pytest

from inspector.core.media.audio import MessageAudio, audio_of, decode_audio
from inspector.core.reading import analyze
from inspector.core.wire.exchange import Exchange

WAV = b"RIFF\x24\x00\x00\x00WAVEfmt "


def text_of(data: bytes) -> str:
    return b64encode(data).decode()


@pytest.mark.parametrize(
    "data, media_type",
    [
        (WAV, "audio/wav"),
        (b"ID3\x04\x00", "audio/mpeg"),
        (b"\xff\xfb\x90\x00", "audio/mpeg"),
        (b"\xff\xf1\x50", "audio/aac"),
        (b"fLaC\x00", "audio/flac"),
        (b"OggS\x00", "audio/ogg"),
        (b"\x01\x00\x02\x00", None),
        (b"<html><script>", None),
        (b"RIFF\x24\x00\x00\x00AVI ", None),
    ],
)
def test_the_first_bytes_tell_what_file_it_is(data: bytes, media_type: str | None) -> None:
    assert MessageAudio(data=text_of(data)).media_type == media_type


@pytest.mark.parametrize(
    "data, expected",
    [("QUJD", b"ABC"), ("QUI=QUI=", b"ABAB"), ("QUI=\nQQ==", b"ABA"), ("QUJDR", b"ABC"), ("", b"")],
)
def test_base64_is_read_with_padding_between_its_pieces(data: str, expected: bytes) -> None:
    assert decode_audio(data) == expected


@pytest.mark.parametrize("data", ["not base64!", "=QUJD", "QUJD====", "QU JD\x00", "\ud800"])
def test_what_is_no_base64_is_nothing(data: str) -> None:
    assert decode_audio(data) is None


def test_a_long_text_that_is_no_base64_at_its_end_is_given_up_at_once() -> None:
    assert decode_audio("QUJD" * 16 + "!") is None


def test_the_length_is_known_before_anything_is_decoded() -> None:
    assert MessageAudio(data=text_of(b"x" * 1_000) + text_of(b"yz")).byte_length == 1_002


def said(audio: Any) -> MessageAudio | None:
    message = {"role": "assistant", "content": None, "audio": audio}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"object": "chat.completion", "choices": [choice]}).encode()
    return audio_of(analyze(Exchange.of_body(body, "application/json")).choices[0])


def streamed(*pieces: dict[str, Any]) -> MessageAudio | None:
    chunks = (
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"audio": piece}}]}
        for piece in pieces
    )
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return audio_of(analyze(Exchange.of_body(body.encode(), "text/event-stream")).choices[0])


def test_a_whole_message_carries_its_speech() -> None:
    sent = {"id": "a1", "data": "QUJD", "expires_at": 1734571490, "transcript": "Hello."}
    assert said(sent) == MessageAudio(**sent)


def test_speech_that_is_streamed_is_joined() -> None:
    audio = streamed(
        {"id": "a1", "transcript": "Hel"}, {"data": "QUI="}, {"data": "QUJD", "transcript": "lo."},
        {"id": "a1", "expires_at": 1734571490},
    )  # fmt: skip
    assert audio == MessageAudio(
        id="a1", data="QUI=QUJD", expires_at=1734571490, transcript="Hello."
    )


def test_pieces_of_speech_that_are_equal_are_all_kept() -> None:
    audio = streamed({"data": "AAAA", "transcript": "ha"}, {"data": "AAAA", "transcript": "ha"})
    assert audio == MessageAudio(data="AAAAAAAA", transcript="haha")


@pytest.mark.parametrize("sent", [None, "QUJD", [], 7])
def test_what_is_no_object_is_no_speech(sent: Any) -> None:
    assert said(sent) is None


def test_fields_of_other_types_are_as_good_as_absent() -> None:
    assert said({"data": 7, "expires_at": True, "transcript": []}) == MessageAudio()
