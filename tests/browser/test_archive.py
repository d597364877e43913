"""The archive while it is open."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture, Inspection
from inspector.core.wire.exchange import Exchange
from tests.archive.samples import (
    CUT,
    JSON,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_and_fits,
    look,
    only_own_requests,
    sign_in,
)
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def apart(*ids: UUID) -> None:
    """An hour lies between each and the next one."""
    for hours, each in enumerate(ids):
        at = timezone.now() - timedelta(hours=hours)
        Capture.objects.filter(id=each).update(received_at=at, called_at=at)
        Inspection.objects.filter(pk=each).update(called_at=at)


def test_a_new_capture_appears_by_itself_and_fills_in(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.goto(ARCHIVE)
    expect(owner_page.locator("#rows tr")).to_have_count(1)
    capture_id = accept(owner, STREAM, SSE)
    row = owner_page.locator(f"#row-{capture_id}")
    expect(row).to_contain_text("waiting")
    expect(owner_page.locator("#status")).to_contain_text("1 waiting to be analysed")
    inspect_all()
    expect(row).to_contain_text("answered")
    expect(owner_page.locator("#status")).not_to_contain_text("waiting")


def test_a_call_that_arrives_late_has_its_place_among_the_rows(
    owner_page: Page, owner: Person
) -> None:
    began = timezone.now() - timedelta(days=1)
    old = accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON), started_at=began)).id
    young = inspected(owner)
    owner_page.goto(ARCHIVE)
    between = began + timedelta(hours=1)
    late = accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON), started_at=between)).id
    expect(owner_page.locator(f"#row-{late}")).to_be_visible()
    rows = owner_page.locator("#rows tr")
    for at, capture_id in enumerate((young, late, old)):
        expect(rows.nth(at)).to_have_id(f"row-{capture_id}")


def test_the_band_of_the_samples_goes_with_the_first_own_capture_and_they_can_still_be_cleared(
    owner_page: Page, owner: Person
) -> None:
    sample = Submission(Exchange.of_body(WHOLE, JSON), tags=("sample",))
    accept_arrival(owner, sample)
    inspect_all()
    owner_page.goto(ARCHIVE)
    band = owner_page.locator(".band")
    expect(band).to_contain_text("These are samples.")
    accept_arrival(owner, sample)
    expect(owner_page.locator("#rows tr")).to_have_count(2)
    expect(band).to_be_visible()
    inspected(owner)
    expect(owner_page.locator("#rows tr")).to_have_count(3)
    expect(band).to_be_hidden()
    owner_page.reload()
    owner_page.locator("#list-menu summary").click()
    owner_page.get_by_role("link", name="Clear samples").click()
    owner_page.wait_for_url("**/captures/bulk/deletion/?q=tag%3Asample")


def test_counts_facets_and_strip_follow_the_rows(owner_page: Page, owner: Person) -> None:
    apart(*(inspected(owner) for _ in range(5)))
    owner_page.goto(ARCHIVE)
    results = owner_page.locator("#facet-result + ul")
    expect(results).to_contain_text("answered")
    expect(owner_page.locator("#matching")).to_have_text("5 captures")
    expect(owner_page.locator("#view-tabs")).to_contain_text("All 5")
    owner_page.locator("#strip summary").click()
    inspected(owner)
    inspected(owner, CUT)
    expect(owner_page.locator("#matching")).to_have_text("7 captures")
    expect(owner_page.locator("#view-tabs")).to_contain_text("All 7")
    expect(results).to_contain_text("truncated")
    expect(owner_page.locator("#strip details")).to_have_attribute("open", "")
    expect(owner_page.locator("#strip summary")).to_be_focused()


@pytest.mark.thorough
def test_the_first_capture_replaces_the_empty_archive(owner_page: Page, owner: Person) -> None:
    owner_page.goto(ARCHIVE)
    expect(owner_page.get_by_text("Waiting for the first capture.")).to_be_visible()
    inspected(owner)
    expect(owner_page.locator("#rows tr")).to_have_count(1)


@pytest.mark.thorough
def test_nothing_moves_while_somebody_reads_further_down(owner_page: Page, owner: Person) -> None:
    for _ in range(40):
        accept(owner)
    owner_page.set_viewport_size({"width": 1280, "height": 500})
    owner_page.goto(ARCHIVE)
    owner_page.evaluate("window.scrollTo(0, 400)")
    accept(owner)
    expect(owner_page.locator("#status")).to_contain_text("1 newer")
    expect(owner_page.locator("#rows tr")).to_have_count(40)
    owner_page.evaluate("window.scrollTo(0, 0)")
    expect(owner_page.locator("#rows tr")).to_have_count(41)


def test_keys_move_through_the_rows_and_open_one(owner_page: Page, owner: Person) -> None:
    oldest, newest = inspected(owner), inspected(owner, CUT)
    owner_page.goto(ARCHIVE)
    owner_page.keyboard.press("j")
    expect(owner_page.locator(f"#row-{newest} a")).to_be_focused()
    owner_page.keyboard.press("j")
    expect(owner_page.locator(f"#row-{oldest} a")).to_be_focused()
    owner_page.keyboard.press("k")
    owner_page.keyboard.press("j")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url(f"**/captures/{oldest}/")


@pytest.mark.thorough
def test_the_focus_stays_on_a_row_that_fills_in(owner_page: Page, owner: Person) -> None:
    capture_id = accept(owner)
    owner_page.goto(ARCHIVE)
    owner_page.keyboard.press("j")
    inspect_all()
    expect(owner_page.locator(f"#row-{capture_id}")).to_contain_text("answered")
    expect(owner_page.locator(f"#row-{capture_id} a")).to_be_focused()


@pytest.mark.thorough
def test_the_archive_is_accessible_fits_and_keeps_to_itself(  # type: ignore[no-untyped-def]
    owner_page: Page, owner: Person, live_server
) -> None:
    apart(inspected(owner), *(inspected(owner, CUT) for _ in range(4)))
    accept(owner, STREAM, SSE)
    with only_own_requests(owner_page, live_server.url):
        owner_page.goto(ARCHIVE)
        expect(owner_page.locator("#rows tr")).to_have_count(6)
        expect(owner_page.locator("#bars")).to_be_visible()
        assert_accessible_and_fits(owner_page)


@pytest.mark.thorough
def test_new_captures_obey_the_filters(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.goto(f"{ARCHIVE}?verdict=cut-off")
    expect(owner_page.get_by_text("No captures match.")).to_be_visible()
    whole, cut = accept(owner), accept(owner, CUT)
    expect(owner_page.locator("#status")).to_contain_text("2 waiting to be analysed")
    expect(owner_page.locator("#rows tr")).to_have_count(0)
    inspect_all()
    expect(owner_page.locator(f"#row-{cut}")).to_contain_text("truncated")
    expect(owner_page.locator("#rows tr")).to_have_count(1)
    expect(owner_page.locator(f"#row-{whole}")).to_have_count(0)
    expect(owner_page.get_by_text("No captures match.")).to_be_hidden()


def test_what_is_selected_stays_so_and_is_tagged_and_copied(
    owner_page: Page, owner: Person
) -> None:
    oldest, newest = inspected(owner), accept(owner)
    owner_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    owner_page.goto(ARCHIVE)
    selection = owner_page.locator("#selection")
    expect(selection).to_be_hidden()
    owner_page.keyboard.press("j")
    owner_page.keyboard.press("x")
    expect(selection).to_contain_text("1 selected")
    inspect_all()
    expect(owner_page.locator(f"#row-{newest}")).to_contain_text("answered")
    box = owner_page.locator(f"#row-{newest} input")
    expect(box).to_be_checked()
    owner_page.locator(f"#row-{oldest} input").click()
    expect(selection).to_contain_text("2 selected")
    acts = selection.locator("button, summary, a").filter(visible=True)
    assert acts.all_inner_texts() == ["Tag…", "Compare", "Export…", "Delete…", "…"]
    selection.get_by_text("Tag…", exact=True).click()
    selection.get_by_label("tag").fill("eu")
    selection.get_by_role("button", name="Add").click()
    expect(selection).to_contain_text("2 captures tagged eu.")
    expect(owner_page.locator(f"#row-{oldest} .tags")).to_have_text("eu")
    expect(box).to_be_checked()
    selection.get_by_label("More for the selected").click()
    selection.get_by_role("button", name="Copy links").click()
    expect(selection.get_by_role("button", name="Copied")).to_be_visible()
    copied = owner_page.evaluate("navigator.clipboard.readText()").split()
    assert [address.rpartition("/captures/")[2] for address in copied] == [
        f"{newest}/", f"{oldest}/"
    ]  # fmt: skip
    owner_page.keyboard.press("j")
    selection.get_by_role("button", name="Clear").click()
    expect(selection).to_be_hidden()
    expect(box).not_to_be_checked()


def test_facets_and_strip_narrow_the_list(owner_page: Page, owner: Person) -> None:
    apart(inspected(owner), *(inspected(owner, CUT) for _ in range(5)))
    owner_page.goto(ARCHIVE)
    facets = owner_page.locator("#facets")
    facets.get_by_role("link", name="truncated 5", exact=True).click()
    owner_page.wait_for_url("**/captures/?q=result:truncated")
    expect(owner_page.locator("#rows tr")).to_have_count(5)
    expect(owner_page.locator("#matching")).to_have_text("5 captures")
    facets.get_by_role("link", name="answered 1").click()
    expect(owner_page.locator("#rows tr")).to_have_count(6)
    owner_page.goto(f"{ARCHIVE}?q=result:truncated")
    box = owner_page.locator("#bars").bounding_box()
    assert box is not None
    owner_page.mouse.move(box["x"] + 3, box["y"] + 10)
    owner_page.mouse.down()
    owner_page.mouse.move(box["x"] + box["width"] - 3, box["y"] + 10, steps=4)
    expect(owner_page.locator("#drawn")).to_be_visible()
    owner_page.mouse.up()
    owner_page.wait_for_url("**/captures/?q=result*truncated&since=*&until=*")
    expect(owner_page.locator("#rows tr")).to_have_count(5)
    owner_page.keyboard.press("/")
    expect(owner_page.locator("#find")).to_be_focused()
    owner_page.keyboard.press("End")
    owner_page.keyboard.type(" gpt")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url("**gpt*")


MAX_TAB_STOPS = 12
MAX_HEIGHT_OF_A_ROW = 30


def test_first_row_is_few_tab_stops_away_and_each_is_one_line(
    owner_page: Page, owner: Person
) -> None:
    capture_id = inspected(owner, CUT)
    owner_page.goto(ARCHIVE)
    expect(owner_page.locator("#facets")).to_contain_text("truncated")
    link = owner_page.locator(f"#row-{capture_id} .row-link")
    for _ in range(MAX_TAB_STOPS):
        owner_page.keyboard.press("Tab")
    expect(link).to_be_focused()
    box = owner_page.locator(f"#row-{capture_id}").bounding_box()
    assert box is not None and box["height"] <= MAX_HEIGHT_OF_A_ROW


@pytest.mark.thorough
def test_facets_stand_behind_a_word_where_there_is_no_room(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 1024, "height": 800})
    owner_page.goto(ARCHIVE)
    expect(owner_page.locator("#facets")).to_be_hidden()
    owner_page.get_by_role("link", name="Filters").click()
    expect(owner_page.locator("#facets")).to_contain_text("openai-chat")
    assert_accessible(owner_page)
    owner_page.get_by_role("link", name="Filters").click()
    expect(owner_page.locator("#facets")).to_be_hidden()


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
    page.get_by_text("Tag…", exact=True).click()
    page.get_by_label("tag", exact=True).last.fill("look")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page).to_have_url(f"{live_server.url}{ARCHIVE}?q=result:truncated")
    expect(page.locator(f"#row-{ids[1]} .tags")).to_have_text("look")


def test_on_a_phone_the_controls_are_on_one_line_and_the_rows_begin_below_the_box(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 390, "height": 844})
    look(owner_page, "/t/default/captures/")
    middles = owner_page.evaluate("""() => [
        "#list-menu > summary", ".tail a", ".sort-by select", "#view-choices > summary"
    ].map((each) => document.querySelector(each).getBoundingClientRect())
     .map((box) => Math.round((box.top + box.bottom) / 2))""")
    assert max(middles) - min(middles) <= 1
    box = owner_page.locator(".query").bounding_box()
    row = owner_page.locator("#rows tr").first.bounding_box()
    assert box and row and box["height"] <= 48 and row["y"] <= 230
