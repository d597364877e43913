"""Signing in with nothing but a browser."""

from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.teams.sign_in_links import create_link
from tests.browser.watching import assert_accessible, only_own_requests
from tests.people import Person


def test_a_one_time_link_leads_to_the_archive(page: Page, owner: Person, live_server) -> None:  # type: ignore[no-untyped-def]
    path = create_link(owner.user)
    with only_own_requests(page, live_server.url):
        page.goto(path)
        assert_accessible(page)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/t/default/captures/")
        assert_accessible(page)
        # A list that still asks for news while it is left would be refused, and say so.
        page.goto("/account/")
        page.get_by_role("button", name="Sign out", exact=True).click()
        page.wait_for_url("**/sign-in/")
        assert_accessible(page)


def test_signing_in_comes_back_to_the_page_that_was_asked_for(page: Page, owner: Person) -> None:
    owner.user.set_password("correct horse")
    owner.user.save()
    page.goto("/t/default/captures/?before=1-00000000000000000000000000000000")
    page.get_by_label("Name").fill("olga")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/t/default/captures/?before=*")
    expect(page.get_by_text("No captures match before this one.")).to_be_visible()


def test_pages_work_without_scripts(new_context: CreateContextCallback, owner: Person) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(create_link(owner.user))
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_text("The archive is empty.")).to_be_visible()
