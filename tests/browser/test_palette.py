"""Ctrl+K: what it lists, how it is chosen from, and where that leads."""

import re

from playwright.sync_api import Page, Route, expect

from inspector.archive import saved_views
from inspector.archive.annotation import tag_all
from tests.archive.samples import inspected
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_in_light_and_dark,
    assert_fits,
    look,
)
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def opened(page: Page, typed: str = "") -> None:
    page.keyboard.press("Control+k")
    expect(page.locator("#palette")).to_be_visible()
    page.keyboard.type(typed)


def chosen(page: Page) -> str:
    field = page.get_by_role("combobox", name="Search or jump to")
    option = field.get_attribute("aria-activedescendant")
    return page.locator(f"#{option} .words").inner_text()


def test_it_opens_on_every_page_and_leads_to_others(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    for path in (ARCHIVE, "/t/default/usage/", "/account/"):
        look(owner_page, path)
        opened(owner_page)
        owner_page.keyboard.press("Escape")
        expect(owner_page.locator("#palette")).to_be_hidden()
    look(owner_page, "/t/default/usage/")
    owner_page.get_by_role("button", name="Search or jump to").click()
    owner_page.keyboard.type("> ")
    expect(owner_page.get_by_role("group", name="Go to")).to_have_count(0)
    for name in ("Retention", "Redaction"):
        owner_page.locator("#palette-text").fill(name.lower())
        expect(owner_page.get_by_role("option", name=name, exact=True)).to_be_visible()
    owner_page.locator("#palette-text").fill("upstr")
    expect(owner_page.get_by_role("option", name="Upstreams", exact=True)).to_be_visible()
    expect(owner_page.get_by_role("option", name="Find “upstr”")).to_be_visible()
    owner_page.get_by_role("option", name="Upstreams", exact=True).click()
    expect(owner_page).to_have_url(re.compile("/t/default/upstreams/$"))


def test_a_pasted_id_opens_its_capture_with_enter(owner_page: Page, owner: Person) -> None:
    capture_id = inspected(owner)
    look(owner_page, "/account/")
    opened(owner_page, str(capture_id))
    owner_page.keyboard.press("Enter")
    expect(owner_page).to_have_url(re.compile(f"/captures/{capture_id}/$"))


def test_enter_before_the_answer_waits_for_it(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    saved_views.for_principal(owner.principal).save("Refunds", "q=gpt", is_team=False)
    look(owner_page, ARCHIVE)
    opened(owner_page, "refu")
    owner_page.keyboard.press("Enter")
    expect(owner_page).to_have_url(re.compile(r"/t/default/captures/\?q=gpt$"))


def test_it_counts_nothing_before_the_archive_has_answered(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    look(owner_page, ARCHIVE)
    held: list[Route] = []
    owner_page.route("**/palette/?*", lambda each: held.append(each))
    opened(owner_page)
    with owner_page.expect_request("**/palette/?q=gpt-4o*"):
        owner_page.keyboard.type("gpt-4o")
    expect(owner_page.locator("#palette-number")).to_be_empty()
    held[-1].continue_()
    expect(owner_page.locator("#palette-number")).to_have_text(re.compile(r"^[1-9]"))


def test_groups_keep_their_order_and_arrows_choose(owner_page: Page, owner: Person) -> None:
    tag_all(owner.principal, [inspected(owner)], "refunds", add=True)
    saved_views.for_principal(owner.principal).save("Refunds", "q=gpt", is_team=False)
    look(owner_page, f"{ARCHIVE}?verdict=complete")
    opened(owner_page, "refunds")
    titles = owner_page.locator(".palette-title")
    expect(titles).to_have_text(["Saved views", "Filter this search", "Text"])
    assert chosen(owner_page) == "Refunds"
    owner_page.keyboard.press("ArrowDown")
    assert chosen(owner_page) == "tag:refunds"
    owner_page.keyboard.press("ArrowUp")
    owner_page.keyboard.press("ArrowUp")
    assert chosen(owner_page) == "Find “refunds”"
    assert_accessible_in_light_and_dark(owner_page)
    owner_page.keyboard.press("ArrowUp")
    owner_page.keyboard.press("Enter")
    expect(owner_page).to_have_url(re.compile(r"\?q=verdict:complete\+tag:refunds$"))


def test_control_and_enter_opens_another_tab(owner_page: Page, owner: Person) -> None:
    capture_id = inspected(owner)
    look(owner_page, ARCHIVE)
    opened(owner_page, str(capture_id))
    with owner_page.context.expect_page() as other:
        owner_page.keyboard.press("Control+Enter")
    expect(other.value).to_have_url(re.compile(f"/captures/{capture_id}/$"))
    other.value.close()
    expect(owner_page.locator("#palette")).to_be_visible()


def test_it_does_what_the_page_offers(owner_page: Page, owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    owner_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    look(owner_page, f"{ARCHIVE}?verdict=complete")
    opened(owner_page, ">selected")
    expect(owner_page.locator("#palette [role=option]")).to_have_count(0)
    owner_page.keyboard.press("Escape")
    for capture_id in (first, second):
        owner_page.locator(f"#row-{capture_id} input").check()
    opened(owner_page, ">tag")
    assert chosen(owner_page) == "Tag the 2 selected captures…"
    owner_page.keyboard.press("Enter")
    expect(owner_page.locator("#selection").get_by_label("tag")).to_be_focused()
    opened(owner_page, ">address")
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_function(
        "navigator.clipboard.readText().then((text) => text === location.href)"
    )
    opened(owner_page, ">compare")
    owner_page.keyboard.press("Enter")
    expect(owner_page).to_have_url(re.compile("/captures/compare/"))


def test_it_fills_a_narrow_window(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 390, "height": 844})
    look(owner_page, ARCHIVE)
    owner_page.get_by_role("button", name="Search or jump to").click()
    expect(owner_page.locator("#palette").get_by_role("option", name="Usage")).to_be_visible()
    box = owner_page.locator("#palette").bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    assert_accessible(owner_page)
    assert_fits(owner_page, 390)
    owner_page.get_by_role("button", name="Close").click()
    expect(owner_page.locator("#palette")).to_be_hidden()


def test_the_help_lists_it(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    look(owner_page, ARCHIVE)
    owner_page.keyboard.press("?")
    expect(owner_page.locator("dialog.help")).to_contain_text("search or jump to")


def test_it_knows_pages_by_other_words_and_does_what_the_menu_does(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner)
    look(owner_page, ARCHIVE)
    opened(owner_page)
    for typed, words in (
        ("invitations", "Members and keys"),
        ("audit", "Audit log"),
        ("documentation", "Help"),
        ("theme dark", "Theme: dark"),
        ("sign out", "Sign out"),
    ):
        owner_page.locator("#palette-text").fill(typed)
        assert chosen(owner_page) == words
    owner_page.locator("#palette-text").fill("theme dark")
    owner_page.keyboard.press("Enter")
    expect(owner_page.locator("html[data-theme=dark]")).to_have_count(1)
    owner_page.evaluate("localStorage.removeItem('theme')")
