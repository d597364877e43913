import json
from base64 import b64encode
from typing import Any
from uuid import UUID

import pytest

from tests.archive.samples import inspected
from tests.people import Person

WAV = b"RIFF\x24\x00\x00\x00WAVEfmt data"


def stored(owner: Person, **message: Any) -> UUID:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return inspected(owner, json.dumps({"object": "chat.completion", "choices": [choice]}).encode())


def test_speech_is_a_file_that_a_player_may_read(owner: Person) -> None:
    capture_id = stored(owner, content=None, audio={"data": b64encode(WAV).decode()})
    response = owner.browser().get(f"/captures/{capture_id}/choices/0/audio/")
    assert response.content == WAV
    assert response["Content-Type"] == "audio/wav"
    assert response["Content-Disposition"] == f'attachment; filename="{capture_id}-0.wav"'
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Cache-Control"] == "private, no-store"
    part = owner.browser().get(
        f"/captures/{capture_id}/choices/0/audio/", headers={"Range": "bytes=0-3"}
    )
    assert (part.status_code, part.content) == (206, b"RIFF")
    assert part["Content-Range"] == f"bytes 0-3/{len(WAV)}"


def test_what_is_no_known_kind_of_audio_is_no_audio(owner: Person) -> None:
    capture_id = stored(
        owner, content=None, audio={"data": b64encode(b"<script>alert(1)</script>").decode()}
    )
    response = owner.browser().get(f"/captures/{capture_id}/choices/0/audio/")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


PNG = b"\x89PNG\r\n\x1a\n and the rest of it, longer than what tells its type"


def drawn(owner: Person, data: bytes) -> UUID:
    image = {"inlineData": {"mimeType": "image/png", "data": b64encode(data).decode()}}
    content = {"role": "model", "parts": [{"text": "So:"}, image]}
    document = {"candidates": [{"content": content, "finishReason": "STOP"}]}
    return inspected(owner, json.dumps(document).encode())


def test_an_image_is_a_file_that_the_page_shows(owner: Person) -> None:
    capture_id = drawn(owner, PNG)
    address = f"/captures/{capture_id}/choices/0/blocks/1/image/"
    assert f'src="{address}"' in owner.browser().get(f"/captures/{capture_id}/").content.decode()
    response = owner.browser().get(address)
    assert (response.content, response["Content-Type"]) == (PNG, "image/png")
    assert response["Content-Disposition"].startswith("attachment")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert owner.browser().get(address.replace("blocks/1", "blocks/0")).status_code == 404
    assert owner.browser().get(address.replace("blocks/1", "blocks/9")).status_code == 404


def test_what_only_says_that_it_is_an_image_is_none(owner: Person) -> None:
    capture_id = drawn(
        owner, b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>"
    )
    address = f"/captures/{capture_id}/choices/0/blocks/1/image/"
    assert address not in owner.browser().get(f"/captures/{capture_id}/").content.decode()
    assert owner.browser().get(address).status_code == 404


@pytest.mark.parametrize("audio", [None, {}, {"data": "not base64!"}, {"data": ""}])
def test_without_speech_there_is_no_file(owner: Person, audio: Any) -> None:
    capture_id = stored(owner, content="text", audio=audio)
    assert owner.browser().get(f"/captures/{capture_id}/choices/0/audio/").status_code == 404
    assert owner.browser().get(f"/captures/{capture_id}/choices/7/audio/").status_code == 404


def test_a_text_is_a_file_with_every_character(owner: Person) -> None:
    text = "Ship\u202e it\r\n" + "and on " * 9_000
    capture_id = stored(owner, content=text, reasoning_content="why", refusal=None)
    response = owner.browser().get(f"/captures/{capture_id}/choices/0/content.txt")
    assert response.content.decode() == text
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["Content-Disposition"].startswith("attachment")
    for part, status in (("reasoning", 200), ("refusal", 404), ("index", 404), ("extras", 404)):
        assert (
            owner.browser().get(f"/captures/{capture_id}/choices/0/{part}.txt").status_code
            == status
        )


@pytest.mark.parametrize("asked", ["bytes=20-", "bytes=-0", "bytes=5-4", "lines=0-1"])
def test_a_range_that_cannot_be_answered_is_answered_with_all(owner: Person, asked: str) -> None:
    address = f"/captures/{stored(owner, content='ten digits')}/choices/0/content.txt"
    response = owner.browser().get(address, headers={"Range": asked})
    assert (response.status_code, response.content) == (200, b"ten digits")


def test_the_text_of_a_block_is_a_file_of_its_own(owner: Person) -> None:
    parts = [{"type": "text", "text": "see "}, {"type": "tune"}, {"type": "text", "text": "there"}]
    address = f"/captures/{stored(owner, content=parts)}/choices/0"
    browser = owner.browser()
    assert browser.get(f"{address}/block-2.txt").content == b"there"
    for part in ("block-1", "block-7", "block-", "block-999999999"):
        assert browser.get(f"{address}/{part}.txt").status_code == 404


def test_audio_of_a_part_is_a_file_of_its_own(owner: Person) -> None:
    spoken = {"type": "input_audio", "input_audio": {"data": b64encode(WAV).decode()}}
    capture_id = stored(owner, content=[{"type": "text", "text": "Hear:"}, spoken])
    address = f"/captures/{capture_id}/choices/0/blocks"
    response = owner.browser().get(f"{address}/1/audio/")
    assert (response.content, response["Content-Type"]) == (WAV, "audio/wav")
    assert f'filename="{capture_id}-0-1.wav"' in response["Content-Disposition"]
    for block in (0, 2, 10**30):
        assert owner.browser().get(f"{address}/{block}/audio/").status_code == 404
