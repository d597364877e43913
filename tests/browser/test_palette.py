"""Ctrl+K: what it lists, how it is chosen from, and where that leads."""

import re

import pytest
from playwright.sync_api import Page, expect

from inspector.archive import saved_views
from inspector.archive.annotation import tag_all
from tests.archive.samples import inspected
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_in_light_and_dark,
    assert_fits,
    look,
    sign_in,
)
from tests.people import Person

ARCHIVE = "/t/default/captures/"


@pytest.fixture
def archive(page: Page, owner: Person, live_server) -> Page:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return page


def opened(page: Page, typed: str = "") -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type(typed)


def chosen(page: Page) -> str:
    field = page.get_by_role("combobox", name="Search or jump to")
    option = field.get_attribute("aria-activedescendant")
    return page.locator(f"#{option} .words").inner_text()


def test_it_opens_on_every_page_and_leads_to_others(archive: Page, owner: Person) -> None:
    inspected(owner)
    for path in (ARCHIVE, "/t/default/usage/", "/account/"):
        look(archive, path)
        opened(archive)
        archive.keyboard.press("Escape")
        expect(archive.locator("#palette")).to_be_hidden()
    look(archive, "/t/default/usage/")
    archive.get_by_role("button", name="Search or jump to").click()
    archive.keyboard.type("> ")
    expect(archive.get_by_role("group", name="Go to")).to_have_count(0)
    for name in ("Retention", "Redaction"):
        archive.locator("#palette-text").fill(name.lower())
        expect(archive.get_by_role("option", name=name, exact=True)).to_be_visible()
    archive.locator("#palette-text").fill("upstr")
    expect(archive.get_by_role("option", name="Upstreams")).to_be_visible()
    expect(archive.get_by_role("option", name="Find “upstr”")).to_be_visible()
    archive.get_by_role("option", name="Upstreams").click()
    expect(archive).to_have_url(re.compile("/t/default/upstreams/$"))


def test_a_pasted_id_opens_its_capture_with_enter(archive: Page, owner: Person) -> None:
    capture_id = inspected(owner)
    look(archive, "/account/")
    opened(archive, str(capture_id))
    archive.keyboard.press("Enter")
    expect(archive).to_have_url(re.compile(f"/captures/{capture_id}/$"))


def test_enter_before_the_answer_waits_for_it(archive: Page, owner: Person) -> None:
    inspected(owner)
    saved_views.for_principal(owner.principal).save("Refunds", "q=gpt", is_team=False)
    look(archive, ARCHIVE)
    opened(archive, "refu")
    archive.keyboard.press("Enter")
    expect(archive).to_have_url(re.compile(r"/t/default/captures/\?q=gpt$"))


def test_groups_keep_their_order_and_arrows_choose(archive: Page, owner: Person) -> None:
    tag_all(owner.principal, [inspected(owner)], "refunds", add=True)
    saved_views.for_principal(owner.principal).save("Refunds", "q=gpt", is_team=False)
    look(archive, f"{ARCHIVE}?verdict=complete")
    opened(archive, "refunds")
    titles = archive.locator(".palette-title")
    expect(titles).to_have_text(["Saved views", "Filter this search", "Text"])
    assert chosen(archive) == "Refunds"
    archive.keyboard.press("ArrowDown")
    assert chosen(archive) == "tag:refunds"
    archive.keyboard.press("ArrowUp")
    archive.keyboard.press("ArrowUp")
    assert chosen(archive) == "Find “refunds”"
    assert_accessible_in_light_and_dark(archive)
    archive.keyboard.press("ArrowUp")
    archive.keyboard.press("Enter")
    expect(archive).to_have_url(re.compile(r"\?q=verdict:complete\+tag:refunds$"))


def test_control_and_enter_opens_another_tab(archive: Page, owner: Person) -> None:
    capture_id = inspected(owner)
    look(archive, ARCHIVE)
    opened(archive, str(capture_id))
    with archive.context.expect_page() as other:
        archive.keyboard.press("Control+Enter")
    expect(other.value).to_have_url(re.compile(f"/captures/{capture_id}/$"))
    other.value.close()
    expect(archive.locator("#palette")).to_be_visible()


def test_it_does_what_the_page_offers(archive: Page, owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    archive.context.grant_permissions(["clipboard-read", "clipboard-write"])
    look(archive, f"{ARCHIVE}?verdict=complete")
    opened(archive, ">selected")
    expect(archive.locator("#palette [role=option]")).to_have_count(0)
    archive.keyboard.press("Escape")
    for capture_id in (first, second):
        archive.locator(f"#row-{capture_id} input").check()
    opened(archive, ">tag")
    assert chosen(archive) == "Tag the 2 selected captures…"
    archive.keyboard.press("Enter")
    expect(archive.locator("#selection").get_by_label("tag")).to_be_focused()
    opened(archive, ">address")
    archive.keyboard.press("Enter")
    archive.wait_for_function(
        "navigator.clipboard.readText().then((text) => text === location.href)"
    )
    opened(archive, ">compare")
    archive.keyboard.press("Enter")
    expect(archive).to_have_url(re.compile("/captures/compare/"))


def test_it_fills_a_narrow_window(archive: Page, owner: Person) -> None:
    inspected(owner)
    archive.set_viewport_size({"width": 390, "height": 844})
    look(archive, ARCHIVE)
    archive.get_by_role("button", name="Search or jump to").click()
    expect(archive.locator("#palette").get_by_role("option", name="Usage")).to_be_visible()
    box = archive.locator("#palette").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    assert_accessible(archive)
    assert_fits(archive, 390)
    archive.get_by_role("button", name="Close").click()
    expect(archive.locator("#palette")).to_be_hidden()


def test_the_help_lists_it(archive: Page, owner: Person) -> None:
    inspected(owner)
    look(archive, ARCHIVE)
    archive.keyboard.press("?")
    expect(archive.locator("dialog.help")).to_contain_text("search or jump to")
