"""The page that shows an answer in the form of another format."""

from __future__ import annotations

import re
from html import unescape
from uuid import UUID

import pytest

from tests.archive.samples import SSE, STREAM, WHOLE, accept, inspected
from tests.people import Person


def page(person: Person, capture_id: UUID, query: str = "?as=anthropic", status: int = 200) -> str:
    answer = person.browser().get(f"/captures/{capture_id}/translation/{query}")
    assert answer.status_code == status
    return answer.content.decode()


def words(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html)))


def test_a_translation_says_that_it_is_none_of_the_bytes(owner: Person) -> None:
    told = words(page(owner, inspected(owner, WHOLE)))
    assert "Translation, not the original: the answer as an Anthropic message" in told
    assert "Nobody sent this" in told
    assert '"text": "Hello"' in told


def test_losses_stand_above_the_translation_each_with_its_place(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE)
    html = page(owner, capture_id)
    assert html.index("stop is given as end_turn.") < html.index('id="translated"')
    at = f"/captures/{capture_id}/?raw=tree&amp;at=%2Fchoices%2F0%2Ffinish_reason#raw"
    assert f'<a href="{at}">/choices/0/finish_reason</a>' in html


def test_places_of_a_stream_are_no_links_because_its_tree_is_of_one_event(owner: Person) -> None:
    html = page(owner, inspected(owner, STREAM, SSE))
    assert "/choices/0/finish_reason" in html
    assert "raw=tree" not in html


def test_the_capture_page_offers_every_format_but_its_own(owner: Person) -> None:
    capture_id = inspected(owner, WHOLE)
    html = owner.browser().get(f"/captures/{capture_id}/").content.decode()
    found = re.findall(rf"/captures/{capture_id}/translation/\?as=([a-z-]+)", html)
    assert found == [
        "anthropic",
        "bedrock-converse",
        "cohere",
        "gemini",
        "ollama",
        "openai-responses",
    ]


def test_the_capture_page_offers_none_where_nothing_was_read(owner: Person) -> None:
    for capture_id in (inspected(owner, b"<html>busy</html>"), accept(owner)):
        html = owner.browser().get(f"/captures/{capture_id}/").content.decode()
        assert "translation/?as=" not in html


def test_an_answer_of_the_format_itself_is_said_to_be_that(owner: Person) -> None:
    told = words(page(owner, inspected(owner, WHOLE), "?as=openai-chat"))
    assert "The answer is of this format already" in told


def test_without_a_format_the_formats_are_offered(owner: Person) -> None:
    html = page(owner, inspected(owner, WHOLE), "")
    assert "Choose a format." in html
    assert "?as=gemini" in html


@pytest.mark.parametrize("query", ["?as=xml", "?as=%3Cscript%3E"])
def test_an_unknown_format_is_named_beside_those_that_there_are(owner: Person, query: str) -> None:
    html = page(owner, inspected(owner, WHOLE), query, status=422)
    assert "There is no format" in html
    assert "?as=gemini" in html
    assert "<script>" not in html.partition("<main")[2]


def test_what_cannot_be_translated_says_why(owner: Person) -> None:
    assert "No choices were read" in page(owner, inspected(owner, b"<html>busy</html>"))
    assert "not inspected yet" in page(owner, accept(owner))


def test_a_long_translation_is_cut_and_says_so(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = "inspector.dashboard.capture.translation.translation_page.MAX_CHARACTERS"
    monkeypatch.setattr(place, 10)
    told = words(page(owner, inspected(owner, WHOLE)))
    assert "more characters: the API and" in told


def test_a_hostile_text_is_named_not_rendered(owner: Person) -> None:
    body = WHOLE.replace(b"Hello", "<img src=x onerror=a()>\u202e".encode())
    html = page(owner, inspected(owner, body))
    assert "<img src=x" not in html
    assert "\u202e" not in html


def test_a_teammate_sees_it_and_a_stranger_finds_nothing(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = inspected(owner, WHOLE)
    assert '"text": "Hello"' in words(page(teammate, capture_id))
    page(stranger, capture_id, status=404)
    page(stranger, capture_id, "?as=xml", status=404)
