"""All captures of a query exported and deleted from the selection bar."""

from playwright.sync_api import Page, Route, expect

from inspector.archive.background import bulk_steps
from inspector.archive.models import Capture
from inspector.work.run import run_one
from tests.archive.samples import CUT, accept, inspect_all, inspected
from tests.browser.watching import assert_accessible_and_fits, look
from tests.people import Person
from tests.transfer.exports.carried import carry_out, exported

ARCHIVE = "/t/default/captures/"


def test_a_tick_for_all_of_a_query_stays_when_their_number_comes(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner, CUT)
    look(owner_page, f"{ARCHIVE}?verdict=cut-off")
    held: list[Route] = []
    owner_page.route("**/bulk/count/**", lambda route: held.append(route))
    with owner_page.expect_request("**/bulk/count/**"):
        owner_page.locator("#rows input[name=capture]").first.check()
    owner_page.locator("#every input[type=checkbox]").check()
    held[0].continue_()
    expect(owner_page.locator("#every")).to_contain_text("all 1")
    expect(owner_page.locator("#every input[type=checkbox]")).to_be_checked()


def test_all_of_a_query_is_exported_followed_and_downloaded(
    owner_page: Page, owner: Person
) -> None:
    cut = inspected(owner, CUT)
    look(owner_page, f"{ARCHIVE}?verdict=cut-off")
    owner_page.locator("#rows input[name=capture]").first.check()
    owner_page.locator("#every input[type=checkbox]").check()
    owner_page.locator("#selection").get_by_role("link", name="Export all…").click()
    expect(owner_page.locator("main")).to_contain_text("1 capture of verdict:cut-off")
    owner_page.get_by_label("Format").select_option("jsonl")
    owner_page.get_by_role("button", name="Export", exact=True).click()
    table = owner_page.locator("#exports")
    expect(table).to_contain_text("Writing: 0 of 1")
    assert_accessible_and_fits(owner_page)
    carry_out()
    link = table.get_by_role("link", name="Download")
    expect(link).to_be_visible()
    with owner_page.expect_download() as started:
        link.click()
    file = started.value
    assert file.suggested_filename.endswith(".jsonl")
    assert file.path().read_bytes() == exported(owner.team)
    assert str(cut).encode() in file.path().read_bytes()
    assert_accessible_and_fits(owner_page)
    table.get_by_role("button", name="Delete").click()
    expect(table).to_contain_text("Deleted.")


def test_all_of_a_query_is_deleted_once_its_number_is_typed(
    owner_page: Page, owner: Person
) -> None:
    for _ in range(3):
        accept(owner)
    inspect_all()
    inspected(owner, CUT)
    look(owner_page, f"{ARCHIVE}?verdict=complete")
    owner_page.locator("#rows input[name=capture]").first.check()
    owner_page.locator("#every input[type=checkbox]").check()
    owner_page.locator("#selection").get_by_role("link", name="Delete all…").click()
    expect(owner_page.locator("main")).to_contain_text("3 captures of verdict:complete")
    assert_accessible_and_fits(owner_page)
    owner_page.get_by_label("Type 3 to delete them").fill("3")
    owner_page.get_by_role("button", name="Delete for good").click()
    expect(owner_page.locator("main")).to_contain_text("Deleting: 0 of 3")
    while run_one(bulk_steps.KIND):
        pass
    owner_page.reload()
    expect(owner_page.locator("main")).to_contain_text("Deleted 3 captures")
    assert sorted(Capture.objects.values_list("state", flat=True)) == ["gone"] * 3 + ["inspected"]
