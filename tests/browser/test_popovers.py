"""What opens over a page: it closes in one way, whatever it holds."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.archive.samples import inspected
from tests.browser.watching import look
from tests.people import Person


def popover(page: Page, name: str) -> Locator:
    """The one that a word or a label opens."""
    return page.locator("details").filter(
        has=page.locator(":scope > summary")
        .filter(has_text=name)
        .or_(page.locator(f':scope > summary[aria-label="{name}"]'))
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("capture", "Share"),
        ("capture", "Compare"),
        ("capture", "Vote on choice 0"),
        ("capture", "More for this capture"),
        ("/t/default/captures/?q=hello", "Save view"),
        ("/t/default/captures/?q=hello", "Columns"),
        ("/t/default/captures/?q=hello", "default"),
    ],
)
def test_it_closes_by_escape_and_by_a_click_beside_it(
    owner_page: Page, owner: Person, path: str, name: str
) -> None:
    capture_id = inspected(owner)
    look(owner_page, f"/captures/{capture_id}/" if path == "capture" else path)
    opened = popover(owner_page, name)
    word = opened.locator(":scope > summary")
    word.click()
    expect(opened).to_have_attribute("open", "")
    owner_page.keyboard.press("Escape")
    expect(opened).not_to_have_attribute("open", "")
    expect(word).to_be_focused()
    word.click()
    owner_page.keyboard.press("Tab")
    owner_page.keyboard.press("Escape")
    expect(opened).not_to_have_attribute("open", "")
    expect(word).to_be_focused()
    word.click()
    expect(opened).to_have_attribute("open", "")
    owner_page.mouse.click(700, 890)
    expect(opened).not_to_have_attribute("open", "")
