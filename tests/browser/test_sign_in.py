"""Signing in with nothing but a browser."""

from urllib.parse import urlsplit

from django.conf import LazySettings
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.teams.sign_in_links import create_link
from tests.browser.foreign_site import foreign_site
from tests.browser.watching import assert_accessible, look, only_own_requests, sign_in
from tests.people import Person
from tests.proxy.conftest import open_way
from tests.proxy.played_recorder import PlayedRecorder
from tests.proxy.scripted_upstream import ScriptedUpstream
from tests.proxy.started_proxy import StartedProxy

SPEAKS_FOR_ALL = (
    b'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nClear-Site-Data: "*", "cookies"\r\n'
    b"Set-Cookie: %b=of-an-upstream; Path=/\r\nSet-Login: logged-out\r\n"
    b"WWW-Authenticate: Basic\r\nRefresh: 0\r\n\r\n{}"
)
CALL = "url => fetch(url, {mode: 'no-cors', credentials: 'include'}).then(() => 'answered')"


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
        page.locator("#account-menu summary").click()
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


def test_no_answer_of_an_upstream_on_the_same_host_ends_a_session(
    page: Page, owner: Person, live_server, settings: LazySettings
) -> None:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    answer = SPEAKS_FOR_ALL % settings.SESSION_COOKIE_NAME.encode()
    with (
        ScriptedUpstream(answer) as upstream,
        PlayedRecorder() as recorder,
        StartedProxy(recorder) as proxy,
    ):
        way = open_way(recorder, upstream.url)
        host = urlsplit(live_server.url).hostname
        origin = f"http://{host}:{proxy.port}"
        with foreign_site(origin) as site:
            # Of another host a browser would keep the cookies to itself.
            page.goto(f"http://{host}:{urlsplit(site.origin).port}")
            assert page.evaluate(CALL, origin + way.chat) == "answered"
    look(page, "/account/")
    expect(page.locator("#account-menu")).to_be_visible()
