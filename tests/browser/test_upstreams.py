"""Upstreams and the lines to paste, by hand: with and without scripts, in both themes, on a phone."""

import re

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, ViewportSize, expect
from pytest_playwright import CreateContextCallback

from inspector.teams import team_upstreams
from inspector.teams.sign_in_links import create_link
from tests.browser.watching import assert_accessible_and_fits, look, only_own_requests, sign_in
from tests.people import Person

PAGE = "/t/default/upstreams/"
PROXY = "http://127.0.0.1:8001"


@pytest.fixture(autouse=True)
def proxy(settings: LazySettings) -> None:
    settings.PROXY_ORIGIN = PROXY


def test_a_key_is_made_in_place_and_stands_in_the_line_of_the_chosen_upstream(
    page: Page, owner: Person, live_server
) -> None:  # type: ignore[no-untyped-def]
    with only_own_requests(page, live_server.url):
        sign_in(page, owner, live_server.url)
        look(page, PAGE)
        page.get_by_role("link", name="Connect a program").click()
        page.get_by_role("link", name="Anthropic", exact=True).last.click()
        expect(page.locator("#proxy-line")).to_have_text(
            f"export ANTHROPIC_BASE_URL={PROXY}/proxy/KEY/anthropic"
        )
        page.get_by_label("Service").fill("checkout-api")
        page.get_by_role("button", name="Create key").click()
        line = re.compile(rf"export ANTHROPIC_BASE_URL={PROXY}/proxy/ri_[\w-]+/anthropic")
        expect(page.locator("#proxy-line")).to_have_text(line)
        expect(page.get_by_text("Waiting for the first capture with this key.")).to_be_visible()
        expect(page.get_by_role("button", name="Copy: Set one variable")).to_be_visible()


@pytest.mark.parametrize("width", [pytest.param(1280, marks=pytest.mark.thorough), 390])
def test_an_upstream_is_added_turned_off_and_removed_without_scripts(
    new_context: CreateContextCallback, owner: Person, width: int
) -> None:
    viewport: ViewportSize = {"width": width, "height": 900}
    page = new_context(java_script_enabled=False, viewport=viewport).new_page()
    page.goto(create_link(owner.user))
    page.get_by_role("button", name="Sign in").click()
    page.goto(PAGE)
    page.get_by_text("Add an upstream").click()
    page.get_by_label("Name", exact=True).fill("llm")
    page.get_by_label("Base URL", exact=True).fill("http://127.0.0.1")
    page.get_by_role("button", name="Add upstream").click()
    expect(page.get_by_text("The host is a loopback address.")).to_be_visible()
    page.get_by_label("Base URL", exact=True).fill("https://llm.example")
    page.get_by_role("button", name="Add upstream").click()
    expect(page.get_by_role("row", name="llm")).to_contain_text(f"{PROXY}/proxy/KEY/llm/v1")
    page.get_by_role("link", name="Change llm").click()
    page.get_by_role("button", name="Turn off llm").click()
    expect(page.get_by_role("row", name="llm off")).to_be_visible()
    page.get_by_role("link", name="Change llm").click()
    page.get_by_role("button", name="Remove llm for good").click()
    expect(page.get_by_text("None.", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_the_page_and_its_forms_are_accessible_and_fit(
    page: Page, owner: Person, live_server
) -> None:  # type: ignore[no-untyped-def]
    door = team_upstreams.for_principal(owner.principal)
    door.add("a-name-as-long-as-it-may-be-in-an-address", "https://llm.example")
    door.add("gateway", f"https://{'host.' * 12}example/{'path/' * 30}v1")
    door.add("ollama", "http://127.0.0.1:11434", is_local=True)
    door.turn("perplexity", is_on=False)
    sign_in(page, owner, live_server.url)
    for path in (PAGE, f"{PAGE}?change=gateway", "/t/default/captures/"):
        look(page, path)
        assert_accessible_and_fits(page)
