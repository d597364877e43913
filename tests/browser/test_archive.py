"""The archive while it is open."""

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import CUT, SSE, STREAM, accept, inspect_all, inspected
from tests.browser.watching import assert_accessible, only_own_requests, sign_in
from tests.people import Person

ARCHIVE = "/t/default/captures/"


@pytest.fixture
def archive(page: Page, owner: Person, live_server) -> Page:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return page


def test_a_new_capture_appears_by_itself_and_fills_in(archive: Page, owner: Person) -> None:
    inspected(owner)
    archive.goto(ARCHIVE)
    expect(archive.locator("#rows tr")).to_have_count(1)
    id = accept(owner, STREAM, SSE)
    row = archive.locator(f"#row-{id}")
    expect(row).to_contain_text("processing")
    expect(archive.locator("#status")).to_contain_text("processing 1")
    inspect_all()
    expect(row).to_contain_text("complete")
    expect(archive.locator("#status")).to_contain_text("received 2 = inspected 2")


def test_the_first_capture_replaces_the_empty_archive(archive: Page, owner: Person) -> None:
    archive.goto(ARCHIVE)
    expect(archive.get_by_text("Waiting for the first capture.")).to_be_visible()
    inspected(owner)
    expect(archive.locator("#rows tr")).to_have_count(1)


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


def test_the_focus_stays_on_a_row_that_fills_in(archive: Page, owner: Person) -> None:
    id = accept(owner)
    archive.goto(ARCHIVE)
    archive.keyboard.press("j")
    inspect_all()
    expect(archive.locator(f"#row-{id}")).to_contain_text("complete")
    expect(archive.locator(f"#row-{id} a")).to_be_focused()


@pytest.mark.parametrize(
    "width, scheme", [(390, "dark"), (1024, "light"), (1440, "light"), (1440, "dark")]
)
def test_the_archive_is_accessible_and_keeps_to_itself(
    archive: Page, owner: Person, live_server, width: int, scheme: str
) -> None:  # type: ignore[no-untyped-def]
    inspected(owner)
    inspected(owner, CUT)
    accept(owner, STREAM, SSE)
    archive.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    archive.set_viewport_size({"width": width, "height": 800})
    with only_own_requests(archive, live_server.url):
        archive.goto(ARCHIVE)
        expect(archive.locator("#rows tr")).to_have_count(3)
        assert_accessible(archive)
    too_wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    assert archive.evaluate(too_wide) is False
