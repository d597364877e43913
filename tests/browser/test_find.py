"""Keys that find: the bar, walking through what was found, and the list of keys."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from tests.browser.test_capture import stalled
from tests.browser.watching import assert_accessible, press_key_of, sign_in
from tests.people import Person

MARKED = "(text) => [...(CSS.highlights.get('found-here') ?? [])].map(String).join() === text"


def wait_for_marked(page: Page, text: str) -> None:
    """Until it, and nothing else, is highlighted as the place walked to."""
    page.wait_for_function(MARKED, arg=text)


def test_a_text_is_found_walked_through_and_marked_where_it_stands(
    owner_page: Page, owner: Person
) -> None:
    owner_page.goto(f"/captures/{stalled(owner)}/")
    owner_page.keyboard.press("/")
    owner_page.keyboard.type("WORD30 ")
    bar = owner_page.get_by_role("dialog", name="Find in this capture")
    expect(bar.locator(".status-line")).to_have_text("2 matches for “WORD30 ”")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url("**/#choice-0")
    expect(bar.locator("output")).to_have_text("1 of 2")
    wait_for_marked(owner_page, "word30 ")
    # The second stands in a run of lines that is folded.
    owner_page.keyboard.press("Enter")
    expect(owner_page.locator("#raw .arrived")).to_contain_text("word30 ")
    expect(owner_page.locator("#raw .arrived")).to_be_in_viewport()
    wait_for_marked(owner_page, "word30 ")
    assert_accessible(owner_page)
    owner_page.keyboard.press("Shift+Enter")
    expect(bar.locator("output")).to_have_text("1 of 2")
    owner_page.keyboard.press("Escape")
    expect(bar).to_be_hidden()
    wait_for_marked(owner_page, "")
    press_key_of(owner_page, "timeline")
    expect(owner_page.locator("#timeline")).to_be_focused()


def test_enter_in_an_emptied_box_walks_nowhere(owner_page: Page, owner: Person) -> None:
    owner_page.goto(f"/captures/{stalled(owner)}/")
    owner_page.keyboard.press("/")
    owner_page.keyboard.type("WORD30 ")
    bar = owner_page.get_by_role("dialog", name="Find in this capture")
    expect(bar.locator(".status-line")).to_have_text("2 matches for “WORD30 ”")
    owner_page.keyboard.press("ControlOrMeta+a")
    owner_page.keyboard.press("Backspace")
    owner_page.keyboard.press("Enter")
    owner_page.keyboard.type("late3")
    # The page still answers, and the box has kept the focus.
    expect(bar.locator(".status-line")).to_contain_text("“late3”")
    assert "#" not in owner_page.url


@pytest.mark.thorough
def test_without_scripts_finding_is_a_page_with_links(
    new_context: CreateContextCallback, owner: Person, live_server: Any
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto(f"/captures/{stalled(owner)}/")
    page.locator("#capture-menu > summary").click()
    page.get_by_role("link", name="Find", exact=True).click()
    page.get_by_label("Find in this capture").fill("late3")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="late3").last.click()
    expect(page.locator("tbody")).to_contain_text("late3")
    page.go_back()
    page.get_by_role("link", name="late3").first.click()
    expect(page.locator("h1")).to_contain_text("Answered.")
    # Notes are written without scripts too.
    page.locator("#capture-menu > summary").click()
    page.locator("summary", has_text="Note").click()
    page.get_by_label("Note").fill("seen without scripts")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".capture-head")).to_contain_text("seen without scripts")


def test_every_page_lists_its_keys(owner_page: Page, owner: Person) -> None:
    pages = ("captures/", "usage/", "usage/prices/", "feedback/", "team/", "status/")
    for address in (*(f"/t/default/{each}" for each in pages), "/paste/", "/account/"):
        owner_page.goto(address)
        owner_page.locator("h1, h2").first.evaluate("() => document.activeElement.blur()")
        owner_page.keyboard.press("?")
        keys_dialog = owner_page.get_by_role("dialog", name="Keys")
        expect(keys_dialog, address).to_contain_text("all keys")


@pytest.mark.thorough
def test_the_keys_of_a_page_are_listed_and_left_alone_while_somebody_types(
    owner_page: Page, owner: Person
) -> None:
    owner_page.goto(f"/captures/{stalled(owner)}/")
    owner_page.locator("[data-drawn]").wait_for()
    owner_page.keyboard.press("?")
    keys_dialog = owner_page.get_by_role("dialog", name="Keys")
    for words in ("older, newer", "find in this capture", "replay", "stall", "zoom"):
        expect(keys_dialog).to_contain_text(words)
    assert_accessible(owner_page)
    owner_page.keyboard.press("Escape")
    expect(keys_dialog).to_have_count(0)
    owner_page.locator("#capture-menu > summary").click()
    owner_page.locator("summary", has_text="Note").click()
    owner_page.get_by_label("Note").fill("")
    owner_page.keyboard.type("j? / 6")
    expect(owner_page.get_by_label("Note")).to_have_value("j? / 6")
    expect(keys_dialog).to_have_count(0)
