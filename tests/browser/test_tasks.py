"""Tasks that people come for, done as they do them: each click and key is counted."""

import json
from dataclasses import dataclass
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read
from tests.archive.samples import SSE, accept_arrival, inspect_all, inspected
from tests.browser.test_find import wait_for_marked
from tests.browser.watching import sign_in
from tests.dashboard.capture.samples import DONE, call, chunk, delta
from tests.people import Person


@dataclass
class Hand:
    """Does what a person does, and counts it."""

    page: Page
    acts: int = 0

    def open(self, capture_id: UUID) -> None:
        """Not counted: the page is where every task begins."""
        self.page.goto(f"/captures/{capture_id}/")

    def click(self, target: Locator) -> None:
        self.acts += 1
        target.click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.acts += 1
            self.page.keyboard.press(key)


@pytest.fixture
def hand(page: Page, owner: Person, live_server) -> Hand:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return Hand(page)


def streamed(person: Person, *events: str) -> UUID:
    """One event in each read, 50 ms apart."""
    reads = [Read(300_000 + 50_000 * n, text.encode()) for n, text in enumerate(events)]
    capture_id = accept_arrival(person, Submission(Exchange.of_reads(reads, SSE))).id
    inspect_all()
    return capture_id


def whole(person: Person, **fields: object) -> UUID:
    body = {"object": "chat.completion", "model": "m", "created": 1, "id": "x", **fields}
    return inspected(person, json.dumps(body).encode())


def said(index: int, text: str, **more: object) -> dict[str, object]:
    message = {"role": "assistant", "content": text}
    return {"index": index, "message": message, "finish_reason": "stop", **more}


def test_which_choice_cost_more_is_read_without_a_click(hand: Hand, owner: Person) -> None:
    dear, cheap = said(1, "Long.", cost_usd=0.0021), said(0, "Short.", cost_usd=0.0004)
    hand.open(whole(owner, choices=[cheap, dear]))
    stated = hand.page.locator("#choices .facts")
    expect(stated.nth(0)).to_contain_text("$0.0004")
    expect(stated.nth(1)).to_contain_text("$0.0021")
    expect(stated.nth(1)).to_be_in_viewport()
    assert hand.acts == 0


def test_why_the_json_is_invalid_is_read_at_once_and_seen_after_one_click(
    hand: Hand, owner: Person
) -> None:
    hand.open(inspected(owner, b'{"object": "chat.completion", "choices": [{"index": 0]}'))
    reason = hand.page.locator("h1 a").first
    expect(reason).to_contain_text("line 1, column 54 (byte 53)")
    hand.click(reason)
    expect(hand.page.locator("#raw .arrived .break")).to_be_in_viewport()
    assert hand.acts == 1


def test_which_chunk_holds_the_tenth_argument_character_is_stepped_to(
    hand: Hand, owner: Person
) -> None:
    pieces = ['{"a', '":"', "Bas", 'el"', "}"]
    first = chunk(delta(0, role="assistant", **call("", name="book")))
    rest = [chunk(delta(0, **call(piece))) for piece in pieces]
    hand.open(streamed(owner, first, *rest, chunk(delta(0, "tool_calls")), DONE))
    hand.page.locator("[data-drawn]").wait_for()
    hand.press("3", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(hand.page.locator(".moment")).to_contain_text("9 of 13 characters")
    hand.press("ArrowRight")
    expect(hand.page.locator(".moment")).to_contain_text("12 of 13 characters")
    expect(hand.page.locator(".player output")).to_contain_text("text 4 of 5")
    assert hand.acts == 5


def test_what_the_provider_did_not_send_is_read_at_once_and_in_full_after_one_key(
    hand: Hand, owner: Person
) -> None:
    hand.open(whole(owner, choices=[said(0, "Hello.")], usage={"prompt_tokens": 5}))
    figures = hand.page.locator("dl.figures")
    for word in ("not sent", "token count not sent"):
        expect(figures).to_contain_text(word)
    hand.press("2")
    expect(hand.page.locator("#usage")).to_be_focused()
    expect(hand.page.locator("#usage .whole").last).to_contain_text("not sent")
    assert hand.acts == 1


def test_where_a_word_came_over_the_wire_is_found_by_typing_it(hand: Hand, owner: Person) -> None:
    words = [chunk(delta(0, content=f"word{n} ")) for n in range(60)]
    hand.open(streamed(owner, *words, chunk(delta(0, "stop")), DONE))
    hand.press("/")
    hand.page.keyboard.type("word31 ")
    expect(hand.page.locator("#find .status-line")).to_contain_text("2 matches")
    hand.press("Enter")
    # The place walked to takes the focus for a moment, and gives it back when it is marked.
    wait_for_marked(hand.page, "word31 ")
    hand.press("Enter")
    expect(hand.page.locator("#raw .arrived")).to_contain_text("#31")
    assert hand.acts == 3
