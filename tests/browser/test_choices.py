"""Choices read, compared and heard in a real browser."""

import json
from base64 import b64encode
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import inspected
from tests.browser.watching import assert_accessible, only_own_requests, sign_in
from tests.people import Person

HARMFUL = (
    "# Plan\n\nShip from **Rotterdam** today, see [the docs](https://docs.example@evil.example/).\n\n"
    "![pixel](https://evil.example/p.png) <img src=https://evil.example/q.png onerror=alert(1)>\n\n"
    "[run](javascript:alert(1))\n\n| port | days |\n|---|--:|\n| Rotterdam | 3 |\n"
)


@pytest.fixture
def browser_page(page: Page, owner: Person, live_server: Any) -> Page:
    sign_in(page, owner, live_server.url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return page


def stored(owner: Person, *messages: dict[str, Any]) -> UUID:
    choices = [
        {"index": n, "finish_reason": "stop", "message": {"role": "assistant", **message}}
        for n, message in enumerate(messages)
    ]
    return inspected(owner, json.dumps({"object": "chat.completion", "choices": choices}).encode())


def test_choices_are_read_as_markdown_and_compared_by_word(
    browser_page: Page, owner: Person, live_server: Any
) -> None:
    capture_id = stored(
        owner, {"content": HARMFUL}, {"content": HARMFUL.replace("Rotterdam", "Leipzig")}
    )
    with only_own_requests(browser_page, live_server.url):
        browser_page.goto(f"/captures/{capture_id}/")
        browser_page.locator("#choices").get_by_role("link", name="Markdown").click()
        expect(browser_page.locator(".markdown h4")).to_have_text(["Plan", "Plan"])
        expect(browser_page.locator(".markdown .host").first).to_have_text("(evil.example)")
        expect(browser_page.locator(".markdown img")).to_have_count(0)
        browser_page.wait_for_url("**choices=markdown**")
        assert_accessible(browser_page)
        browser_page.locator("#choices").get_by_role("link", name="Word diff").click()
        expect(browser_page.locator("del").nth(1)).to_have_text("Rotterdam")
        expect(browser_page.locator("ins").nth(1)).to_have_text("Leipzig")
        expect(browser_page.locator(".compared .fork")).to_have_count(1)
        assert_accessible(browser_page)
        browser_page.go_back()
        expect(browser_page.locator(".markdown h4")).to_have_count(2)


def test_an_answer_is_copied_exactly_without_what_stands_beside_it(
    browser_page: Page, owner: Person
) -> None:
    text = "Version 4.0.6\u202e is the latest.\n" + "And on and on. " * 400
    note = {"type": "url_citation", "start_index": 8, "end_index": 13, "url": "https://x.example/"}
    capture_id = stored(owner, {"content": text, "annotations": [note]}, {"content": "Version 5."})
    browser_page.goto(f"/captures/{capture_id}/")
    browser_page.get_by_role("button", name="Copy the answer of choice 0").click()
    expect(browser_page.locator("#choices button.copy").first).to_have_text("Copied")
    assert browser_page.evaluate("navigator.clipboard.readText()") == text
    browser_page.locator("#answer-0 sup a").click()
    expect(browser_page.locator("#note-0-1")).to_be_in_viewport()
    expect(browser_page.locator("#note-0-1")).to_contain_text("(x.example)")


@pytest.mark.thorough
def test_speech_is_fetched_when_it_is_played(
    browser_page: Page, owner: Person, live_server: Any
) -> None:
    samples = b"\x00\x00" * 800
    header = b"WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data"
    length = len(samples).to_bytes(4, "little")
    wav = b"RIFF" + (36 + len(samples)).to_bytes(4, "little") + header + length + samples
    speech = {"id": "a1", "data": b64encode(wav).decode(), "transcript": "Hello."}
    capture_id = stored(owner, {"content": None, "audio": speech})
    with only_own_requests(browser_page, live_server.url) as asked:
        browser_page.goto(f"/captures/{capture_id}/")
        assert_accessible(browser_page)
        assert not any("/audio/" in url for url in asked)
        seconds = browser_page.evaluate(
            """async () => {
                const audio = document.querySelector("audio");
                audio.load();
                audio.preload = "auto";
                if (!(audio.duration > 0)) {
                  await new Promise((known) => { audio.onloadedmetadata = known; });
                }
                return audio.duration;
            }"""
        )
    assert seconds == 0.1
    assert any("/audio/" in url for url in asked)
