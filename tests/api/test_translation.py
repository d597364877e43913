"""An answer in the form of another format, over HTTP."""

from __future__ import annotations

import pytest

from tests.archive.samples import SSE, STREAM, WHOLE, accept, inspected
from tests.people import Person

CAPTURES = "/api/v1/captures/"


def address(capture_id: object, slug: str = "anthropic") -> str:
    return f"{CAPTURES}{capture_id}/translation/?as={slug}"


def test_a_stream_is_given_as_the_message_of_another_format_with_its_losses(owner: Person) -> None:
    answer = owner.get(address(inspected(owner, STREAM, SSE)))
    assert answer.status == 200
    assert answer.json["format"] == "anthropic"
    assert answer.json["value"]["type"] == "message"
    assert answer.json["value"]["content"] == [{"type": "text", "text": "Hello"}]
    changed = {loss["code"]: loss["pointer"] for loss in answer.json["losses"]}
    assert changed["finish-changed"] == "/choices/0/finish_reason"


def test_a_translation_changes_neither_bytes_nor_completion(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE)
    before = [owner.get(f"{CAPTURES}{capture_id}/{part}").body for part in ("raw/", "completion/")]
    owner.get(address(capture_id, "gemini"))
    after = [owner.get(f"{CAPTURES}{capture_id}/{part}").body for part in ("raw/", "completion/")]
    assert after == before


@pytest.mark.parametrize("query", ["?as=xml", "?as=", "", "?as=gemini&as=ollama", "?for=gemini"])
def test_an_unknown_format_is_refused(owner: Person, query: str) -> None:
    answer = owner.get(f"{CAPTURES}{inspected(owner)}/translation/{query}")
    assert answer.status == 422


def test_a_refusal_names_the_formats_that_there_are(owner: Person) -> None:
    message = owner.get(address(inspected(owner), "xml")).json["error"]["message"]
    assert (
        "anthropic, bedrock-converse, cohere, gemini, ollama, openai-chat, openai-responses"
        in message
    )


def test_what_has_no_choices_has_no_translation(owner: Person) -> None:
    answer = owner.get(address(inspected(owner, b"<html>busy</html>")))
    assert (answer.status, answer.code) == (404, "no_completion")


def test_what_is_not_inspected_yet_has_no_translation_yet(owner: Person) -> None:
    answer = owner.get(address(accept(owner)))
    assert (answer.status, answer.code) == (409, "not_inspected")


def test_a_teammate_gets_it_and_a_stranger_finds_nothing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner)
    assert teammate.get(address(capture_id)).json == owner.get(address(capture_id)).json
    assert stranger.get(address(capture_id)).status == 404
    assert stranger.get(address(capture_id, "xml")).code == "not_found"


def test_a_known_translation_is_not_sent_again(owner: Person) -> None:
    path = address(inspected(owner))
    etag = owner.get(path).headers["ETag"]
    assert owner.get(path, headers={"If-None-Match": etag}).status == 304
