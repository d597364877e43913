"""The documentation in the product, on a phone."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.watching import assert_accessible_and_fits, look


@pytest.fixture
def phone(owner_page: Page) -> Page:
    owner_page.set_viewport_size({"width": 390, "height": 844})
    return owner_page


def test_the_rules_are_subjects_that_unfold_and_an_address_unfolds_its_own(phone: Page) -> None:
    look(phone, "/docs/rules/")
    assert phone.evaluate("document.documentElement.scrollHeight") < 4_000
    rule = phone.get_by_role("link", name="tool.arguments-truncated")
    expect(rule).to_be_hidden()
    phone.get_by_role("heading", name="Tool calls").click()
    expect(rule).to_be_visible()
    phone.goto("/docs/")
    look(phone, "/docs/rules/#tool.arguments-truncated")
    expect(rule).to_be_visible()
    rule.click()
    expect(phone.get_by_role("heading", name="An example")).to_be_visible()
    assert_accessible_and_fits(phone)


def test_what_a_search_finds_stands_first_on_a_phone(phone: Page) -> None:
    look(phone, "/docs/?q=stall")
    box = phone.locator(".doc-hits a").first.bounding_box()
    assert box is not None and box["y"] < 400
