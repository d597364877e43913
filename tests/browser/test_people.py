"""People, invitations and keys, by hand: with and without scripts, in both themes, on a phone."""

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from pytest_playwright import CreateContextCallback

from inspector.archive.models import RetentionRule
from inspector.teams.models import Role
from inspector.teams.sign_in_links import create_link
from tests.browser.watching import (
    assert_accessible,
    assert_accessible_and_fits,
    look,
    only_own_requests,
)
from tests.people import Person
from tests.teams.test_invitations import invited

PASSWORD = "a long way from common"


def sign_in(page: Page, person: Person) -> None:
    page.goto(create_link(person.user))
    page.get_by_role("button", name="Sign in").click()


def test_a_member_is_invited_joins_and_leaves(page: Page, owner: Person, live_server) -> None:  # type: ignore[no-untyped-def]
    with only_own_requests(page, live_server.url):
        page.goto(f"/join/{invited(owner)}/")
        assert_accessible(page)
        page.get_by_label("Name").fill("nora")
        page.get_by_label("Password (optional)").fill(PASSWORD)
        page.get_by_role("button", name="Join").click()
        page.wait_for_url("**/t/default/captures/")
        page.locator("#account-menu summary").click()
        page.locator("#account-menu").get_by_role("link", name="Members and keys").click()
        expect(page.get_by_role("row", name="olga")).to_contain_text("owner")
        assert_accessible(page)
        page.get_by_text("Leave…").click()
        page.get_by_role("button", name="Leave the team").click()
        page.wait_for_url("**/account/")
        expect(page.get_by_text("You are in no team.")).to_be_visible()
        assert_accessible(page)


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.thorough), 390])
def test_an_owner_makes_a_key_and_revokes_it_without_scripts(
    new_context: CreateContextCallback, owner: Person, teammate: Person, width: int
) -> None:
    viewport: ViewportSize = {"width": width, "height": 900}
    page = new_context(java_script_enabled=False, viewport=viewport).new_page()
    sign_in(page, owner)
    page.goto("/t/default/team/")
    page.get_by_text("New key").click()
    page.get_by_label("Name", exact=True).fill("billing")
    page.get_by_role("button", name="Create key").click()
    expect(page.locator(".secret pre")).to_contain_text("ri_")
    page.get_by_text("Revoke…").first.click()
    page.get_by_role("button", name="Revoke the key billing").click()
    expect(page.locator("tr.dead")).to_contain_text("billing")
    expect(page.locator(".secret")).to_have_count(0)


@pytest.mark.thorough
def test_pages_of_people_are_accessible_and_fit(
    page: Page, owner: Person, teammate: Person
) -> None:
    invited(owner, Role.ADMIN)
    sign_in(page, owner)
    for path in ("/account/", "/t/default/team/", f"/join/{invited(owner)}/"):
        look(page, path)
        assert_accessible_and_fits(page)


def test_who_switches_a_rule_on_is_asked_below_its_row(owner_page: Page, owner: Person) -> None:
    rule = RetentionRule.objects.create(team=owner.team, clock="captures", query="x", days=9)
    owner_page.goto("/t/default/retention/")
    row = owner_page.get_by_role("row", name=f"Remove rule {rule.pk}")
    before = row.bounding_box()
    owner_page.locator(".acts summary").click()
    button = owner_page.get_by_role("button", name=f"Switch on rule {rule.pk}").bounding_box()
    after = row.bounding_box()
    assert before and after and button
    assert after["height"] == before["height"] and button["y"] >= after["y"] + after["height"] - 4
    assert_accessible(owner_page)


def test_a_theme_is_chosen_in_the_menu_and_kept(page: Page, owner: Person) -> None:
    sign_in(page, owner)
    page.locator("#account-menu summary").click()
    page.get_by_label("Theme").select_option("dark")
    page.goto("/docs/")
    paper = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
    assert paper == "rgb(21, 23, 26)"
    page.locator("#account-menu summary").click()
    page.get_by_label("Theme").select_option("system")
    expect(page.locator("html")).not_to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    expect(page.locator("#account-menu")).not_to_have_attribute("open", "")
