"""The box of the query: completion by keys, mistakes marked in their place."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import CUT, WHOLE, inspected
from tests.browser.watching import assert_accessible_and_fits, sign_in
from tests.people import Person

ARCHIVE = "/t/default/captures/"


@pytest.fixture
def archive(page: Page, owner: Person, live_server: Any) -> Page:
    for body in (WHOLE, WHOLE, CUT):
        inspected(owner, body)
    sign_in(page, owner, live_server.url)
    page.goto(ARCHIVE)
    return page


def test_a_query_is_written_with_the_keyboard_alone(archive: Page) -> None:
    box, popup = archive.locator("#find"), archive.locator("#completion")
    archive.keyboard.press("/")
    archive.keyboard.type("verd")
    expect(popup.get_by_role("option")).to_have_count(1)
    archive.keyboard.press("Tab")
    expect(box).to_have_value("verdict:")
    expect(popup.get_by_role("option").first).to_contain_text("complete")
    expect(popup.get_by_role("option", selected=True)).to_have_count(0)
    archive.keyboard.press("ArrowDown")
    archive.keyboard.press("ArrowDown")
    chosen = popup.get_by_role("option", selected=True)
    expect(chosen).to_contain_text("cut-off")
    expect(chosen.locator(".num")).to_have_text("1")
    assert box.get_attribute("aria-activedescendant") == chosen.get_attribute("id")
    archive.keyboard.press("Tab")
    expect(box).to_have_value("verdict:cut-off")
    expect(popup).to_be_hidden()
    archive.keyboard.press("Enter")
    archive.wait_for_url("**/captures/?q=verdict*")
    expect(archive.locator("#rows tr")).to_have_count(1)


def test_enter_searches_with_what_was_chosen(archive: Page) -> None:
    box, popup = archive.locator("#find"), archive.locator("#completion")
    archive.keyboard.press("/")
    archive.keyboard.type("verd")
    expect(popup.get_by_role("option")).to_have_count(1)
    archive.keyboard.press("ArrowDown")
    archive.keyboard.press("Enter")
    # A field alone is no query: its values are offered.
    expect(box).to_have_value("verdict:")
    expect(popup.get_by_role("option").first).to_contain_text("complete")
    archive.keyboard.press("ArrowDown")
    archive.keyboard.press("ArrowDown")
    archive.keyboard.press("Enter")
    archive.wait_for_url("**/captures/?q=verdict*cut-off")
    expect(archive.locator("#rows tr")).to_have_count(1)


def test_enter_searches_for_the_words_where_nothing_was_chosen(archive: Page) -> None:
    archive.keyboard.press("/")
    archive.keyboard.type("truncated")
    expect(archive.locator("#completion").get_by_role("option").first).to_be_visible()
    archive.keyboard.press("Enter")
    archive.wait_for_url("**/captures/?q=truncated")


def test_escape_closes_the_popup_and_keeps_the_text(archive: Page) -> None:
    box, popup = archive.locator("#find"), archive.locator("#completion")
    box.focus()
    archive.keyboard.type("model:")
    expect(popup).to_be_visible()
    assert_accessible_and_fits(archive)
    archive.keyboard.press("Escape")
    expect(popup).to_be_hidden()
    expect(box).to_have_value("model:")
    expect(box).to_have_attribute("aria-expanded", "false")
    archive.keyboard.press("Escape")
    expect(box).to_have_value("model:")


def test_a_mistake_is_underlined_in_its_place(archive: Page) -> None:
    archive.goto(f"{ARCHIVE}?q=gpt+verdict:complet")
    mark = archive.locator(".query-marks mark")
    expect(mark).to_have_text("verdict:complet")
    expect(archive.locator("#rows tr")).to_have_count(2)
    expect(archive.locator("#mistakes")).to_contain_text("Did you mean verdict:complete?")
    assert_accessible_and_fits(archive)
    archive.locator("#find").focus()
    archive.keyboard.press("End")
    archive.keyboard.type("e")
    expect(archive.locator(".query-marks")).to_be_hidden()
    archive.keyboard.press("Enter")
    expect(archive.locator("#mistakes")).to_have_count(0)


def test_on_a_narrow_screen_the_popup_has_the_whole_width(archive: Page) -> None:
    archive.set_viewport_size({"width": 390, "height": 800})
    archive.goto(ARCHIVE)
    archive.locator("#find").fill("model:")
    archive.locator("#find").press("End")
    popup = archive.locator("#completion")
    expect(popup).to_be_visible()
    box = popup.bounding_box()
    assert box is not None and box["width"] > 340
    assert_accessible_and_fits(archive)


def test_plain_words_are_offered_as_the_query_that_they_mean(archive: Page) -> None:
    box, popup = archive.locator("#find"), archive.locator("#completion")
    archive.keyboard.press("/")
    archive.keyboard.type("truncated last hour")
    first = popup.get_by_role("option").first
    expect(first.locator("code")).to_have_text("result:truncated since:1h")
    expect(first).to_contain_text("truncated last hour")
    archive.keyboard.press("ArrowDown")
    archive.keyboard.press("Tab")
    expect(box).to_have_value("result:truncated since:1h")
    archive.keyboard.press("Enter")
    expect(archive.locator("#rows tr")).to_have_count(1)
