"""All captures of a query changed from the selection bar, and saved views above the list."""

from playwright.sync_api import Page, expect

from inspector.archive.models import Capture
from tests.archive.carrying_out import carry_out
from tests.archive.samples import CUT, accept, inspect_all, inspected
from tests.browser.watching import assert_accessible_and_fits, look
from tests.people import Person

ARCHIVE = "/t/default/captures/"


def test_all_of_a_query_is_tagged_followed_and_undone(owner_page: Page, owner: Person) -> None:
    for _ in range(3):
        accept(owner)
    inspect_all()
    cut = inspected(owner, CUT)
    look(owner_page, f"{ARCHIVE}?verdict=complete")
    selection, bulk = owner_page.locator("#selection"), owner_page.locator("#bulk")
    owner_page.locator("#rows input[name=capture]").first.check()
    selection.get_by_label("all 3 of this query").check()
    expect(selection).to_contain_text("3 selected")
    expect(selection.get_by_role("button", name="Compare")).to_be_disabled()
    selection.get_by_text("Tag…", exact=True).click()
    selection.get_by_label("tag").fill("seen")
    selection.get_by_role("button", name="Add").click()
    expect(bulk).to_contain_text("Adding seen: 0 of 3")
    expect(selection).to_be_hidden()
    carry_out()
    expect(bulk).to_contain_text("seen added to 3 captures.")
    expect(owner_page.locator("#rows .tags", has_text="seen")).to_have_count(3)
    assert_accessible_and_fits(owner_page)
    bulk.get_by_role("button", name="Undo").click()
    expect(bulk).to_contain_text("Removing seen: 0 of 3")
    carry_out()
    expect(bulk).to_contain_text("seen removed from 3 captures.")
    expect(owner_page.locator("#rows .tags", has_text="seen")).to_have_count(0)
    assert Capture.objects.get(pk=cut).tags == []


def test_the_picked_rows_are_deleted_alone(owner_page: Page, owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    look(owner_page, ARCHIVE)
    selection = owner_page.locator("#selection")
    owner_page.locator(f"#row-{first} input[name=capture]").check()
    selection.get_by_label("all 2 of this query").check()
    expect(selection.get_by_role("button", name="Delete…")).to_have_count(0)
    every, delete = owner_page.locator("#every input[type=checkbox]"), "Delete all…"
    expect(selection.get_by_role("link", name=delete)).to_have_css("border-top-width", "1px")
    # All are ticked; whoever leaves one out goes on with the others.
    expect(owner_page.locator("#rows .pick :checked")).to_have_count(2)
    owner_page.locator(f"#row-{second} input[name=capture]").uncheck()
    expect(every).not_to_be_checked()
    expect(selection).to_contain_text("1 selected")
    every.check()
    selection.get_by_label("all 2 of this query").uncheck()
    selection.get_by_role("button", name="Delete…").click()
    owner_page.get_by_label("Type 1 to delete them").fill("1")
    assert_accessible_and_fits(owner_page)
    owner_page.get_by_role("button", name="Delete for good").click()
    expect(owner_page.get_by_role("heading", name="Bulk changes")).to_be_visible()
    carry_out()
    states = dict(Capture.objects.values_list("pk", "state"))
    assert states == {first: "gone", second: "inspected"}


def test_what_is_selected_alone_is_tagged_alone(owner_page: Page, owner: Person) -> None:
    first, second = inspected(owner), inspected(owner)
    look(owner_page, ARCHIVE)
    selection = owner_page.locator("#selection")
    owner_page.locator(f"#row-{first} input").check()
    every = selection.get_by_label("all 2 of this query")
    every.check()
    every.uncheck()
    expect(selection).to_contain_text("1 selected")
    selection.get_by_text("Tag…", exact=True).click()
    selection.get_by_label("tag").fill("seen")
    selection.get_by_role("button", name="Add").click()
    expect(selection).to_contain_text("1 capture tagged seen.")
    assert Capture.objects.get(pk=second).tags == []


def test_a_search_is_saved_and_opened_from_its_tab(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    inspected(owner, CUT)
    look(owner_page, f"{ARCHIVE}?verdict=cut-off")
    tabs = owner_page.get_by_role("navigation", name="Views")
    expect(tabs.locator("[aria-current]")).to_have_text("Unsaved search 1")
    owner_page.get_by_text("Save view").click()
    owner_page.locator("#save-view").get_by_label("name").fill("Cut off")
    owner_page.locator("#save-view").get_by_role("button", name="Save").click()
    expect(tabs.locator("[aria-current]")).to_have_text("Cut off 1")
    expect(owner_page.get_by_text("Save view")).to_have_count(0)
    tabs.get_by_role("link", name="All 2").click()
    expect(owner_page.locator("#rows tr")).to_have_count(2)
    tabs.get_by_role("link", name="Cut off 1").click()
    expect(owner_page.locator("#rows tr")).to_have_count(1)
    owner_page.locator("#list-menu summary").click()
    owner_page.get_by_role("link", name="Manage views").click()
    owner_page.get_by_text("Change…").click()
    owner_page.get_by_role("button", name="Make Cut off the team’s").click()
    expect(owner_page.get_by_role("region", name="Views, The team’s")).to_contain_text("Cut off")
