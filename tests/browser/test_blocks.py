"""A message of several blocks in a real browser: each is traced, found and copied by itself."""

from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import inspected
from tests.browser.test_find import wait_for_marked
from tests.browser.test_provenance import SELECT, lit
from tests.browser.watching import assert_accessible, only_own_requests
from tests.dashboard.capture.samples import DONE, SSE, chunk, delta
from tests.people import Person

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


def test_the_second_text_is_traced_to_its_own_chunk(owner_page: Page, owner: Person) -> None:
    owner_page.goto(f"/captures/{several_blocks(owner)}/")
    second = owner_page.locator("#text-of-block-0-3")
    owner_page.evaluate(SELECT, [second.element_handle(), 0, 4])
    expect(owner_page.locator("#trace")).to_contain_text("event #3")
    assert "wind" in lit(owner_page)
    owner_page.wait_for_url("**/#text-1-16-20")


def test_a_search_walks_from_block_to_block(owner_page: Page, owner: Person) -> None:
    owner_page.goto(f"/captures/{several_blocks(owner)}/")
    owner_page.keyboard.press("/")
    owner_page.keyboard.type("in bergen")
    bar = owner_page.get_by_role("dialog", name="Find in this capture")
    expect(bar.locator("h2").first).to_have_text("choice 0 text 1 1")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url("**/#block-0-1")
    wait_for_marked(owner_page, "in Bergen")
    expect(owner_page.locator("#block-0-1")).to_have_class("block arrived")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url("**/#block-0-3")
    wait_for_marked(owner_page, "in Bergen")
    expect(owner_page.locator("#block-0-3")).to_have_class("block arrived")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_blocks_fit_every_window_and_load_nothing(
    owner_page: Page, owner: Person, live_server: Any, scheme: Any
) -> None:
    owner_page.emulate_media(color_scheme=scheme)
    with only_own_requests(owner_page, live_server.url):
        for width in (1440, 390):
            owner_page.set_viewport_size({"width": width, "height": 800})
            owner_page.goto(f"/captures/{several_blocks(owner)}/")
            expect(owner_page.locator(".block")).to_have_count(6)
            assert owner_page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        expect(owner_page.locator("#choices img")).to_have_count(0)
        assert_accessible(owner_page)


def test_each_text_is_copied_alone(owner_page: Page, owner: Person) -> None:
    owner_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    owner_page.goto(f"/captures/{several_blocks(owner)}/")
    owner_page.get_by_role("button", name="Copy text 2 of choice 0").click()
    expect(owner_page.locator("#block-0-3 button.copy")).to_have_text("Copied")
    assert owner_page.evaluate("navigator.clipboard.readText()") == "wind in Bergen."
