"""A message of several blocks in a real browser: each is traced, found and copied by itself."""

from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import inspected
from tests.browser.test_capture import browser_page
from tests.browser.test_find import wait_for_marked
from tests.browser.test_provenance import SELECT, lit
from tests.browser.watching import assert_accessible, only_own_requests
from tests.dashboard.capture.samples import DONE, SSE, chunk, delta
from tests.people import Person

__all__ = ["browser_page"]

PARTS: tuple[dict[str, Any], ...] = (
    {"type": "thinking", "thinking": [{"type": "text", "text": "Which Bergen?"}]},
    {"type": "text", "text": "Rain in Bergen, "},
    {"type": "reference", "reference_ids": [1, 2]},
    {"type": "text", "text": "wind in Bergen."},
    {"type": "image_url", "image_url": {"url": f"https://evil.example/{'p' * 600}.png"}},
    {"type": "search", "status": "failed", "output": "Bergen" * 400, "n" * 300: "x" * 300},
)


def several_blocks(owner: Person) -> UUID:
    events = [chunk(delta(content=[part])) for part in PARTS]
    body = "".join([*events, chunk(delta(0, "stop")), DONE])
    return inspected(owner, body.encode(), content_type=SSE)


def test_the_second_text_is_traced_to_its_own_chunk(browser_page: Page, owner: Person) -> None:
    browser_page.goto(f"/captures/{several_blocks(owner)}/")
    second = browser_page.locator("#text-of-block-0-3")
    browser_page.evaluate(SELECT, [second.element_handle(), 0, 4])
    expect(browser_page.locator("#trace")).to_contain_text("event #3")
    assert "wind" in lit(browser_page)
    browser_page.wait_for_url("**/#text-1-16-20")


def test_a_search_walks_from_block_to_block(browser_page: Page, owner: Person) -> None:
    browser_page.goto(f"/captures/{several_blocks(owner)}/")
    browser_page.keyboard.press("/")
    browser_page.keyboard.type("in bergen")
    bar = browser_page.get_by_role("dialog", name="Find in this capture")
    expect(bar.locator("h2").first).to_have_text("choice 0 text 1 1")
    browser_page.keyboard.press("Enter")
    browser_page.wait_for_url("**/#block-0-1")
    wait_for_marked(browser_page, "in Bergen")
    expect(browser_page.locator("#block-0-1")).to_have_class("block arrived")
    browser_page.keyboard.press("Enter")
    browser_page.wait_for_url("**/#block-0-3")
    wait_for_marked(browser_page, "in Bergen")
    expect(browser_page.locator("#block-0-3")).to_have_class("block arrived")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_blocks_fit_every_window_and_load_nothing(
    browser_page: Page, owner: Person, live_server: Any, scheme: Any
) -> None:
    browser_page.emulate_media(color_scheme=scheme)
    with only_own_requests(browser_page, live_server.url):
        for width in (1440, 390):
            browser_page.set_viewport_size({"width": width, "height": 800})
            browser_page.goto(f"/captures/{several_blocks(owner)}/")
            expect(browser_page.locator(".block")).to_have_count(6)
            assert browser_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(browser_page.locator("#choices img")).to_have_count(0)
        assert_accessible(browser_page)


def test_each_text_is_copied_alone(browser_page: Page, owner: Person) -> None:
    browser_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    browser_page.goto(f"/captures/{several_blocks(owner)}/")
    browser_page.get_by_role("button", name="Copy text 2 of choice 0").click()
    expect(browser_page.locator("#block-0-3 button.copy")).to_have_text("Copied")
    assert browser_page.evaluate("navigator.clipboard.readText()") == "wind in Bergen."
