"""Texts that reach the clipboard."""

import json

from playwright.sync_api import Page, expect

from tests.archive.samples import inspected
from tests.browser.watching import sign_in
from tests.people import Person


def copied(page: Page) -> str:
    text = page.evaluate("navigator.clipboard.readText()")
    assert isinstance(text, str)
    return text


def test_a_button_copies_the_element_that_it_names(  # type: ignore[no-untyped-def]
    page: Page, owner: Person, live_server
) -> None:
    sign_in(page, owner, live_server.url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/t/{owner.team.slug}/captures/")
    page.get_by_text("Send one response by a command").click()
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_focused()
    assert copied(page) == page.locator("#command").inner_text()
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined, configurable: true})"
    )
    page.evaluate("document.getElementById('command').textContent = 'without a clipboard'")
    page.locator("button.copy").click()
    page.evaluate("delete navigator.clipboard")
    assert copied(page) == "without a clipboard"


def test_a_selected_answer_is_copied_with_the_characters_that_were_only_named(  # type: ignore[no-untyped-def]
    page: Page, owner: Person, live_server
) -> None:
    text = "User\u202e\u2066txt.exe\u200b " + "and on and on" * 400
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = json.dumps({"object": "chat.completion", "choices": [choice]})
    sign_in(page, owner, live_server.url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"/captures/{inspected(owner, body.encode())}/")
    expect(page.locator(".answer .mark")).to_have_text(["[RLO]", "[LRI]", "[ZWSP]"])
    page.evaluate("getSelection().selectAllChildren(document.querySelector('.answer'))")
    page.keyboard.press("Control+c")
    assert copied(page) == text
