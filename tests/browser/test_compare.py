"""Captures beside each other, in a browser."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_and_fits,
    look,
    only_own_requests,
    sign_in,
)
from tests.dashboard.compare.test_views import calling, saying, streamed, told
from tests.people import Person

ARCHIVE = "/t/default/captures/"


@pytest.fixture
def browser_page(page: Page, owner: Person, live_server: Any) -> Page:
    sign_in(page, owner, live_server.url)
    return page


def select(page: Page, *ids: object) -> None:
    for capture_id in ids:
        page.locator(f"#row-{capture_id} input[name=capture]").check()


def test_two_rows_are_selected_and_compared(
    browser_page: Page, owner: Person, live_server: Any
) -> None:
    older, newer = saying(owner, "Ship from Bonn"), saying(owner, "Ship from Rome")
    with only_own_requests(browser_page, live_server.url):
        browser_page.goto(ARCHIVE)
        button = browser_page.get_by_role("button", name="Compare")
        select(browser_page, newer)
        expect(button).to_be_disabled()
        select(browser_page, older)
        button.click()
        browser_page.wait_for_url(f"**/captures/compare/?id={older}&id={newer}")
        expect(browser_page.locator("h1")).to_contain_text("Different answer.")
        expect(browser_page.locator("#compare-texts del")).to_have_text(["Bonn"])
        expect(browser_page.locator("#compare-texts ins")).to_have_text(["marked words", "Rome"])


@pytest.mark.thorough
def test_three_rows_are_too_many(browser_page: Page, owner: Person) -> None:
    ids = [saying(owner) for _ in range(3)]
    browser_page.goto(ARCHIVE)
    select(browser_page, *ids)
    button = browser_page.get_by_role("button", name="Compare")
    expect(button).to_be_disabled()
    browser_page.locator(f"#row-{ids[0]} input[name=capture]").uncheck()
    expect(button).to_be_enabled()


@pytest.mark.thorough
def test_without_scripts_the_selection_is_compared_too(
    new_context: CreateContextCallback, owner: Person, live_server: Any
) -> None:
    older, newer = saying(owner), saying(owner)
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto(ARCHIVE)
    select(page, older, newer)
    page.get_by_role("button", name="Compare").click()
    page.wait_for_url(f"**/captures/compare/?id={older}&id={newer}")
    expect(page.locator("h1")).to_contain_text("Same answer.")


def test_a_capture_leads_to_its_comparison_and_to_captures_like_it(
    browser_page: Page, owner: Person
) -> None:
    older, newer = inspected(owner, STREAM, SSE), inspected(owner, WHOLE)
    browser_page.goto(f"/captures/{newer}/")
    browser_page.get_by_text("Compare", exact=True).first.click()
    assert_accessible(browser_page)
    browser_page.get_by_role("link", name="the one before it").click()
    browser_page.wait_for_url(f"**/captures/compare/?id={older}&id={newer}")
    browser_page.go_back()
    browser_page.get_by_text("Compare", exact=True).first.click()
    browser_page.get_by_role("link", name="model gpt-4o").click()
    browser_page.wait_for_url(f"**{ARCHIVE}?model=gpt-4o")
    expect(browser_page.locator("#rows tr")).to_have_count(2)


def test_a_side_is_added_by_pasting_its_address_and_swapped_by_a_link(
    browser_page: Page, owner: Person, live_server: Any
) -> None:
    one, two = (saying(owner, text) for text in ("a", "b"))
    browser_page.goto(f"/captures/compare/?id={one}")
    browser_page.get_by_label("Compare with").fill(f"{live_server.url}/captures/{two}/#raw")
    browser_page.get_by_role("button", name="Compare").click()
    browser_page.wait_for_url(f"**/compare/?id={one}&id={two}")
    browser_page.get_by_role("link", name="Use as baseline").click()
    browser_page.wait_for_url(f"**/compare/?id={two}&id={one}")
    expect(browser_page.locator("h1")).to_contain_text("Different answer.")


@pytest.mark.thorough
def test_a_comparison_is_accessible_and_no_wider_than_its_window(
    browser_page: Page, owner: Person
) -> None:
    ids = [
        inspected(owner, STREAM, SSE),
        inspected(owner, WHOLE),
        calling(owner, ("find", '{"city": "Bonn"}')),
        calling(owner, ("find", '{"city": "Rome"}')),
    ]
    for names in (ids[:2], ids[2:]):
        look(
            browser_page,
            f"/captures/compare/?{'&'.join(f'id={capture_id}' for capture_id in names)}",
        )
        assert_accessible_and_fits(browser_page)


def test_two_streams_are_replayed_on_one_clock(browser_page: Page, owner: Person) -> None:
    first, second = (streamed(owner, *told(100_000, end)) for end in (400_000, 1_000_000))
    browser_page.goto(f"/captures/compare/?id={first}&id={second}")
    replay = browser_page.locator(".replay[data-drawn]")
    outputs = replay.locator("output")
    expect(outputs).to_have_count(2)
    browser_page.get_by_role("button", name="chunk ›").click()
    expect(replay.locator(".moment")).to_have_count(2)
    for moment in replay.locator(".moment").all():
        expect(moment).to_contain_text("State at 0.100 s")
        expect(moment.locator(".grown")).to_have_text("Hel")
    browser_page.get_by_role("button", name="chunk ›").click()
    expect(replay.locator(".moment .grown")).to_have_text(["Hello", "Hel"])
    browser_page.get_by_role("button", name="16×").click()
    browser_page.get_by_role("button", name="Replay").click()
    expect(replay.locator(".moment .grown")).to_have_text(["Hello", "Hello"])
    expect(outputs.first).to_contain_text("1.000 s of 1.000 s")
