"""An address leads to its place, on the page already or not, and back and forward keep it."""

from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.test_capture import stalled
from tests.browser.watching import press_key_of, sign_in
from tests.dashboard.capture.samples import chunk, delta
from tests.people import Person


def arrived(page: Page) -> Locator:
    return page.locator(".arrived")


def address(capture_id: UUID, place: str = "") -> str:
    return f"/captures/{capture_id}/{place}"


def test_an_event_that_is_folded_away_is_fetched_to_its_place(
    owner_page: Page, owner: Person
) -> None:
    capture_id = stalled(owner)
    owner_page.goto(address(capture_id, "#event-30"))
    expect(arrived(owner_page)).to_contain_text("word30 ")
    expect(arrived(owner_page)).to_be_in_viewport()
    # What lies before and behind it is folded still.
    assert owner_page.locator("#raw tr.run").count() == 2


@pytest.mark.thorough
def test_a_byte_in_a_folded_run_is_fetched_to_its_place(owner_page: Page, owner: Person) -> None:
    before = "".join(chunk(delta(content=f"word{n} ")) for n in range(40))
    owner_page.goto(address(stalled(owner), f"#byte-{len(before) + 100}"))
    expect(arrived(owner_page)).to_contain_text("word40 ")


def test_after_a_vote_the_rail_marks_where_its_choice_stands(
    owner_page: Page, owner: Person
) -> None:
    owner_page.goto(address(stalled(owner)))
    owner_page.get_by_label("Vote on choice 0").click()
    owner_page.get_by_role("button", name="Good").click()
    expect(arrived(owner_page)).to_contain_text("1 positive")
    expect(owner_page.locator(".rail [aria-current]")).to_contain_text("Choices")


def test_a_headline_leads_to_its_places_and_back_leads_to_where_one_was(
    owner_page: Page, owner: Person
) -> None:
    capture_id = stalled(owner)
    owner_page.goto(address(capture_id))
    owner_page.get_by_role("link", name="characters in").click()
    owner_page.wait_for_url("**/#choices")
    owner_page.get_by_role("link", name="Stalled for").click()
    owner_page.wait_for_url("**/#timeline")
    expect(owner_page.locator(".rail [aria-current]")).to_contain_text("Timeline")
    owner_page.locator("#findings").get_by_role("link", name="event #50").first.click()
    expect(arrived(owner_page)).to_contain_text("late0 ")
    owner_page.go_back()
    owner_page.go_back()
    owner_page.wait_for_url("**/#choices")
    owner_page.go_back()
    owner_page.wait_for_url(f"**/captures/{capture_id}/")
    owner_page.go_forward()
    owner_page.go_forward()
    owner_page.wait_for_url("**/#timeline")


def test_a_number_is_a_link_to_itself(owner_page: Page, owner: Person) -> None:
    owner_page.goto(address(stalled(owner)))
    owner_page.locator("#raw").get_by_role("link", name="#3", exact=True).click()
    owner_page.wait_for_url("**/#event-3")
    expect(arrived(owner_page)).to_contain_text("word3 ")
    owner_page.get_by_role("link", name="choice 0", exact=True).first.click()
    owner_page.wait_for_url("**/#choice-0")
    expect(arrived(owner_page)).to_contain_text("word0 word1")


def test_a_place_that_is_not_there_changes_nothing(owner_page: Page, owner: Person) -> None:
    owner_page.goto(address(stalled(owner), "#event-70000"))
    expect(owner_page.locator("h1")).to_contain_text("Answered.")
    assert arrived(owner_page).count() == 0


@pytest.mark.thorough
def test_without_scripts_the_link_leads_to_a_page_with_the_lines(
    new_context: CreateContextCallback, owner: Person, live_server: Any
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto(address(stalled(owner)))
    page.locator("#findings").get_by_role("link", name="event #50").first.click()
    expect(page.locator("tbody")).to_contain_text("late0 ")


def test_the_key_of_stalls_brings_the_drawing_into_view(owner_page: Page, owner: Person) -> None:
    owner_page.goto(address(stalled(owner)))
    owner_page.locator("[data-drawn]").wait_for()
    press_key_of(owner_page, "raw")
    expect(owner_page.locator("canvas")).not_to_be_in_viewport()
    owner_page.keyboard.press("]")
    expect(owner_page.locator("canvas")).to_be_in_viewport()
