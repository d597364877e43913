"""A row shows where its capture holds what was searched."""

import json
import re
from uuid import UUID

import pytest

from inspector.archive.annotation import tag_all
from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import JSON, STREAM, accept_arrival, inspect_all, inspected
from tests.dashboard.archive.test_readable_rows import ARCHIVE, asked_and_answered, cell, ids, page
from tests.people import Person

pytestmark = pytest.mark.both_stacks

LATE = "Your pre-authorisation clears on Thursday, and the bank releases the hold then."


def line(person: Person, query: str) -> str:
    """The answer's line, hits in brackets."""
    html = re.sub(r"<mark[^>]*>(.*?)</mark>", r"[\1]", cell(page(person, query), "col-answer"))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).strip()


def test_a_phrase_is_marked_where_it_stands_and_found_by_all_of_the_team(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = asked_and_answered(owner, "When?", {"content": LATE})
    asked_and_answered(owner, "When?", {"content": "On Thursday it clears."})
    for person in (owner, teammate):
        html = page(person, "?q=%22clears+on+Thursday%22")
        assert ids(html) == [str(capture_id)]
        assert "[clears on Thursday]" in line(person, "?q=%22clears+on+Thursday%22")
        assert "#find=clears%20on%20Thursday" in html
    html = stranger.browser().get(f"{ARCHIVE}?q=clears").content.decode()
    assert "Thursday" not in html


def test_what_stands_in_the_prompt_is_said_to(owner: Person) -> None:
    asked_and_answered(owner, "Where is order 7731?", {"content": "On its way."})
    found = line(owner, "?q=7731")
    assert "in prompt" in found and "order [7731]" in found


def test_what_stands_in_the_note_is_said_to(owner: Person) -> None:
    accept_arrival(owner, Submission(Exchange.of_body(STREAM), note="ask the bank"))
    inspect_all()
    found = line(owner, "?q=bank")
    assert "in note" in found and "ask the [bank]" in found


def test_a_long_text_is_cut_around_the_hit(owner: Person) -> None:
    asked_and_answered(owner, "?", {"content": "so " * 200 + "needle" + " on" * 200})
    found = line(owner, "?q=needle")
    assert re.match(r"…so .* so \[needle\] on .* on… prompt: \?", found)


def test_a_name_is_found_and_leaves_the_answer_in_its_place(owner: Person) -> None:
    inspected(owner, STREAM)
    assert line(owner, "?q=gpt-4o") == "Hello"


def test_markup_in_what_was_found_is_text(owner: Person) -> None:
    request = Request(body=json.dumps({"messages": []}).encode())
    body = STREAM.replace(b'"content":"Hel"', b'"content":"<b>bold</b> <script>"')
    exchange = Exchange(reads=(Read(None, body),), content_type=JSON, request=request)
    accept_arrival(owner, Submission(exchange))
    inspect_all()
    html = cell(page(owner, "?q=bold"), "col-answer")
    assert "<script>" not in html and "&lt;b&gt;" in html
    assert re.search(r"<mark[^>]*>\s*(<bdi>)?bold", html)


def test_a_row_that_was_tagged_keeps_its_hit(owner: Person) -> None:
    capture_id: UUID = asked_and_answered(owner, "?", {"content": LATE})
    answer = owner.browser().post(
        "/t/default/captures/tag/?q=bank",
        {"capture": str(capture_id), "tag": "seen"},
        headers={"HX-Request": "true"},
    )
    assert re.search(r"<mark[^>]*>\s*(<bdi>)?bank", answer.content.decode())
    assert tag_all(owner.principal, [capture_id], "seen", add=True).full == 0
