"""The archive while it is open."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.archive.models import Capture, Inspection
from tests.archive.samples import CUT, SSE, STREAM, WHOLE, accept, inspect_all, inspected
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_and_fits,
    only_own_requests,
    sign_in,
)
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def apart(*ids: UUID) -> None:
    """An hour lies between each and the next one."""
    for hours, each in enumerate(ids):
        at = timezone.now() - timedelta(hours=hours)
        Capture.objects.filter(id=each).update(received_at=at)
        Inspection.objects.filter(pk=each).update(received_at=at)


@pytest.fixture
def archive(page: Page, owner: Person, live_server) -> Page:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return page


def test_a_new_capture_appears_by_itself_and_fills_in(archive: Page, owner: Person) -> None:
    inspected(owner)
    archive.goto(ARCHIVE)
    expect(archive.locator("#rows tr")).to_have_count(1)
    capture_id = accept(owner, STREAM, SSE)
    row = archive.locator(f"#row-{capture_id}")
    expect(row).to_contain_text("processing")
    expect(archive.locator("#status")).to_contain_text("1 processing")
    inspect_all()
    expect(row).to_contain_text("answered")
    expect(archive.locator("#status")).not_to_contain_text("processing")


def test_counts_facets_and_strip_follow_the_rows(archive: Page, owner: Person) -> None:
    apart(inspected(owner), inspected(owner), inspected(owner))
    archive.goto(ARCHIVE)
    results = archive.locator("#facet-result + ul")
    expect(results).to_contain_text("answered")
    expect(archive.locator("#matching")).to_have_text("3 captures")
    archive.locator("#strip summary").click()
    inspected(owner)
    inspected(owner, CUT)
    expect(archive.locator("#matching")).to_have_text("5 captures")
    expect(results).to_contain_text("truncated")
    expect(archive.locator("#strip details")).to_have_attribute("open", "")
    expect(archive.locator("#strip summary")).to_be_focused()


@pytest.mark.thorough
def test_the_first_capture_replaces_the_empty_archive(archive: Page, owner: Person) -> None:
    archive.goto(ARCHIVE)
    expect(archive.get_by_text("Waiting for the first capture.")).to_be_visible()
    inspected(owner)
    expect(archive.locator("#rows tr")).to_have_count(1)


@pytest.mark.thorough
def test_nothing_moves_while_somebody_reads_further_down(archive: Page, owner: Person) -> None:
    for _ in range(40):
        accept(owner)
    archive.set_viewport_size({"width": 1280, "height": 500})
    archive.goto(ARCHIVE)
    archive.evaluate("window.scrollTo(0, 400)")
    accept(owner)
    expect(archive.locator("#status")).to_contain_text("1 newer")
    expect(archive.locator("#rows tr")).to_have_count(40)
    archive.evaluate("window.scrollTo(0, 0)")
    expect(archive.locator("#rows tr")).to_have_count(41)


def test_keys_move_through_the_rows_and_open_one(archive: Page, owner: Person) -> None:
    oldest, newest = inspected(owner), inspected(owner, CUT)
    archive.goto(ARCHIVE)
    archive.keyboard.press("j")
    expect(archive.locator(f"#row-{newest} a")).to_be_focused()
    archive.keyboard.press("j")
    expect(archive.locator(f"#row-{oldest} a")).to_be_focused()
    archive.keyboard.press("k")
    archive.keyboard.press("j")
    archive.keyboard.press("Enter")
    archive.wait_for_url(f"**/captures/{oldest}/")


@pytest.mark.thorough
def test_the_focus_stays_on_a_row_that_fills_in(archive: Page, owner: Person) -> None:
    capture_id = accept(owner)
    archive.goto(ARCHIVE)
    archive.keyboard.press("j")
    inspect_all()
    expect(archive.locator(f"#row-{capture_id}")).to_contain_text("answered")
    expect(archive.locator(f"#row-{capture_id} a")).to_be_focused()


@pytest.mark.thorough
def test_the_archive_is_accessible_fits_and_keeps_to_itself(  # type: ignore[no-untyped-def]
    archive: Page, owner: Person, live_server
) -> None:
    apart(inspected(owner), inspected(owner, CUT), inspected(owner))
    accept(owner, STREAM, SSE)
    with only_own_requests(archive, live_server.url):
        archive.goto(ARCHIVE)
        expect(archive.locator("#rows tr")).to_have_count(4)
        expect(archive.locator("#bars")).to_be_visible()
        assert_accessible_and_fits(archive)


@pytest.mark.thorough
def test_new_captures_obey_the_filters(archive: Page, owner: Person) -> None:
    inspected(owner)
    archive.goto(f"{ARCHIVE}?verdict=cut-off")
    expect(archive.get_by_text("No captures match.")).to_be_visible()
    whole, cut = accept(owner), accept(owner, CUT)
    expect(archive.locator("#status")).to_contain_text("2 processing")
    expect(archive.locator("#rows tr")).to_have_count(0)
    inspect_all()
    expect(archive.locator(f"#row-{cut}")).to_contain_text("cut-off")
    expect(archive.locator("#rows tr")).to_have_count(1)
    expect(archive.locator(f"#row-{whole}")).to_have_count(0)
    expect(archive.get_by_text("No captures match.")).to_be_hidden()


def test_what_is_selected_stays_so_and_is_tagged_and_copied(archive: Page, owner: Person) -> None:
    oldest, newest = inspected(owner), accept(owner)
    archive.context.grant_permissions(["clipboard-read", "clipboard-write"])
    archive.goto(ARCHIVE)
    selection = archive.locator("#selection")
    expect(selection).to_be_hidden()
    archive.keyboard.press("j")
    archive.keyboard.press("x")
    expect(selection).to_contain_text("1 selected")
    inspect_all()
    expect(archive.locator(f"#row-{newest}")).to_contain_text("answered")
    box = archive.locator(f"#row-{newest} input")
    expect(box).to_be_checked()
    archive.locator(f"#row-{oldest} input").click()
    expect(selection).to_contain_text("2 selected")
    selection.get_by_label("tag").fill("eu")
    selection.get_by_role("button", name="Add").click()
    expect(selection).to_contain_text("2 captures tagged eu.")
    expect(archive.locator(f"#row-{oldest} .tags")).to_have_text("eu")
    expect(box).to_be_checked()
    selection.get_by_label("More for the selected").click()
    selection.get_by_role("button", name="Copy links").click()
    expect(selection.get_by_role("button", name="Copied")).to_be_visible()
    copied = archive.evaluate("navigator.clipboard.readText()").split()
    assert [address.rpartition("/captures/")[2] for address in copied] == [
        f"{newest}/", f"{oldest}/"
    ]  # fmt: skip
    archive.keyboard.press("j")
    selection.get_by_role("button", name="Clear").click()
    expect(selection).to_be_hidden()
    expect(box).not_to_be_checked()


def test_facets_and_strip_narrow_the_list(archive: Page, owner: Person) -> None:
    apart(inspected(owner), *(inspected(owner, CUT) for _ in range(3)))
    archive.goto(ARCHIVE)
    facets = archive.locator("#facets")
    facets.get_by_role("link", name="truncated 3", exact=True).click()
    archive.wait_for_url("**/captures/?q=result:truncated")
    expect(archive.locator("#rows tr")).to_have_count(3)
    expect(archive.locator("#matching")).to_have_text("3 captures")
    facets.get_by_role("link", name="answered 1").click()
    expect(archive.locator("#rows tr")).to_have_count(4)
    archive.goto(f"{ARCHIVE}?q=result:truncated")
    box = archive.locator("#bars").bounding_box()
    assert box is not None
    archive.mouse.move(box["x"] + 3, box["y"] + 10)
    archive.mouse.down()
    archive.mouse.move(box["x"] + box["width"] - 3, box["y"] + 10, steps=4)
    expect(archive.locator("#drawn")).to_be_visible()
    archive.mouse.up()
    archive.wait_for_url("**/captures/?q=result*truncated&since=*&until=*")
    expect(archive.locator("#rows tr")).to_have_count(3)
    archive.keyboard.press("/")
    expect(archive.locator("#find")).to_be_focused()
    archive.keyboard.press("End")
    archive.keyboard.type(" gpt")
    archive.keyboard.press("Enter")
    archive.wait_for_url("**gpt*")


MAX_TAB_STOPS = 12
MAX_HEIGHT_OF_A_ROW = 30


def test_first_row_is_few_tab_stops_away_and_each_is_one_line(archive: Page, owner: Person) -> None:
    capture_id = inspected(owner, CUT)
    archive.goto(ARCHIVE)
    expect(archive.locator("#facets")).to_contain_text("truncated")
    link = archive.locator(f"#row-{capture_id} .row-link")
    for _ in range(MAX_TAB_STOPS):
        archive.keyboard.press("Tab")
    expect(link).to_be_focused()
    box = archive.locator(f"#row-{capture_id}").bounding_box()
    assert box is not None and box["height"] <= MAX_HEIGHT_OF_A_ROW


@pytest.mark.thorough
def test_facets_stand_behind_a_word_where_there_is_no_room(archive: Page, owner: Person) -> None:
    inspected(owner)
    archive.set_viewport_size({"width": 1024, "height": 800})
    archive.goto(ARCHIVE)
    expect(archive.locator("#facets")).to_be_hidden()
    archive.get_by_role("link", name="Filters").click()
    expect(archive.locator("#facets")).to_contain_text("openai-chat")
    assert_accessible(archive)
    archive.get_by_role("link", name="Filters").click()
    expect(archive.locator("#facets")).to_be_hidden()


@pytest.mark.thorough
def test_without_scripts_the_list_is_narrowed_counted_and_tagged(
    new_context: CreateContextCallback, owner: Person, live_server: Any
) -> None:
    ids = [inspected(owner, body) for body in (WHOLE, CUT)]
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto(ARCHIVE)
    page.locator("#find").fill("gpt-4o")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{live_server.url}{ARCHIVE}?q=gpt-4o")
    expect(page.locator("#rows tr")).to_have_count(1)
    page.goto(ARCHIVE)
    page.get_by_role("link", name="Show counts").click()
    page.get_by_role("link", name="truncated 1", exact=True).click()
    page.locator(f"#row-{ids[1]} input").check()
    page.get_by_label("tag", exact=True).last.fill("look")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page).to_have_url(f"{live_server.url}{ARCHIVE}?q=result:truncated")
    expect(page.locator(f"#row-{ids[1]} .tags")).to_have_text("look")
