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


def select(page: Page, *ids: object) -> None:
    for capture_id in ids:
        page.locator(f"#row-{capture_id} input[name=capture]").check()


def test_two_rows_are_selected_and_compared(
    owner_page: Page, owner: Person, live_server: Any
) -> None:
    older, newer = saying(owner, "Ship from Bonn"), saying(owner, "Ship from Rome")
    with only_own_requests(owner_page, live_server.url):
        owner_page.goto(ARCHIVE)
        button = owner_page.get_by_role("button", name="Compare")
        select(owner_page, newer)
        expect(button).to_be_disabled()
        expect(button).to_have_accessible_description("one more")
        select(owner_page, older)
        expect(button).to_have_accessible_description("")
        button.click()
        owner_page.wait_for_url(f"**/captures/compare/?id={older}&id={newer}")
        expect(owner_page.locator("h1")).to_contain_text("Different answer.")
        expect(owner_page.locator("#compare-texts del")).to_have_text(["Bonn"])
        expect(owner_page.locator("#compare-texts ins")).to_have_text(["marked words", "Rome"])


@pytest.mark.thorough
def test_three_rows_are_too_many(owner_page: Page, owner: Person) -> None:
    ids = [saying(owner) for _ in range(3)]
    owner_page.goto(ARCHIVE)
    select(owner_page, *ids)
    button = owner_page.get_by_role("button", name="Compare")
    expect(owner_page.get_by_text("two at a time")).to_be_visible()
    expect(button).to_be_disabled()
    owner_page.locator(f"#row-{ids[0]} input[name=capture]").uncheck()
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
    owner_page: Page, owner: Person
) -> None:
    older, newer = inspected(owner, STREAM, SSE), inspected(owner, WHOLE)
    owner_page.goto(f"/captures/{newer}/")
    owner_page.get_by_text("Compare", exact=True).first.click()
    assert_accessible(owner_page)
    owner_page.get_by_role("link", name="the one before it").click()
    owner_page.wait_for_url(f"**/captures/compare/?id={older}&id={newer}")
    owner_page.go_back()
    owner_page.get_by_text("Compare", exact=True).first.click()
    owner_page.get_by_role("link", name="model gpt-4o").click()
    owner_page.wait_for_url(f"**{ARCHIVE}?model=gpt-4o")
    expect(owner_page.locator("#rows tr")).to_have_count(2)


def test_a_side_is_added_by_pasting_its_address_and_swapped_by_a_link(
    owner_page: Page, owner: Person, live_server: Any
) -> None:
    one, two = (saying(owner, text) for text in ("a", "b"))
    owner_page.goto(f"/captures/compare/?id={one}")
    owner_page.get_by_label("Compare with").fill(f"{live_server.url}/captures/{two}/#raw")
    owner_page.get_by_role("button", name="Compare").click()
    owner_page.wait_for_url(f"**/compare/?id={one}&id={two}")
    owner_page.get_by_role("link", name="Swap A and B").click()
    owner_page.wait_for_url(f"**/compare/?id={two}&id={one}")
    owner_page.keyboard.press("s")
    owner_page.wait_for_url(f"**/compare/?id={one}&id={two}")
    expect(owner_page.locator("h1")).to_contain_text("Different answer.")


@pytest.mark.thorough
def test_a_comparison_is_accessible_and_no_wider_than_its_window(
    owner_page: Page, owner: Person
) -> None:
    ids = [
        inspected(owner, STREAM, SSE),
        inspected(owner, WHOLE),
        calling(owner, ("find", '{"city": "Bonn"}')),
        calling(owner, ("find", '{"city": "Rome"}')),
    ]
    for names in (ids[:2], ids[2:]):
        look(
            owner_page,
            f"/captures/compare/?{'&'.join(f'id={capture_id}' for capture_id in names)}",
        )
        assert_accessible_and_fits(owner_page)


def test_two_streams_are_replayed_on_one_clock(owner_page: Page, owner: Person) -> None:
    first, second = (streamed(owner, *told(100_000, end)) for end in (400_000, 1_000_000))
    owner_page.goto(f"/captures/compare/?id={first}&id={second}")
    replay = owner_page.locator(".replay[data-drawn]")
    replay.locator("summary").click()
    outputs = replay.locator("output")
    expect(outputs).to_have_count(2)
    owner_page.get_by_role("button", name="chunk ›").click()
    expect(replay.locator(".moment")).to_have_count(2)
    for moment in replay.locator(".moment").all():
        expect(moment).to_contain_text("State at 0.100 s")
        expect(moment.locator(".grown")).to_have_text("Hel")
    owner_page.get_by_role("button", name="chunk ›").click()
    expect(replay.locator(".moment .grown")).to_have_text(["Hello", "Hel"])
    owner_page.get_by_role("button", name="16×").click()
    owner_page.get_by_role("button", name="Replay").click()
    expect(replay.locator(".moment .grown")).to_have_text(["Hello", "Hello"])
    expect(outputs.first).to_contain_text("1.000 s of 1.000 s")
