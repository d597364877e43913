"""A link made in a browser, and the page that it opens in another one."""

from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.watching import assert_accessible_and_fits, look, sign_in
from tests.people import Person
from tests.sharing.shared import captured


@pytest.fixture
def capture_page(page: Page, owner: Person, live_server: Any) -> Page:
    sign_in(page, owner, live_server.url)
    look(page, f"/captures/{captured(owner)}/")
    return page


def test_a_link_is_made_copied_opened_by_a_stranger_and_revoked(
    capture_page: Page, browser: Browser, live_server: Any
) -> None:
    capture_page.locator("#share summary").click()
    capture_page.get_by_role("button", name="Create link").click()
    path = urlsplit(capture_page.locator("#new-link").inner_text()).path
    copy = capture_page.get_by_role("button", name="Copy")
    copy.click()
    expect(capture_page.get_by_role("button", name="Copied")).to_be_visible()
    assert_accessible_and_fits(capture_page)
    stranger = browser.new_page()
    assert stranger.goto(live_server.url + path)
    expect(stranger.locator("main")).to_contain_text("ANSWER-CANARY")
    expect(stranger.locator("main")).not_to_contain_text("PROMPT-CANARY")
    capture_page.get_by_role("button", name="Revoke link").click()
    expect(capture_page.get_by_role("region", name="Table of links")).to_contain_text("revoked")
    assert stranger.goto(live_server.url + path)
    expect(stranger.locator("h1")).to_have_text("This link leads nowhere")
    stranger.close()
