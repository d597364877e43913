"""The page of the API: drawn by scripts of an installed package, under a policy of its own."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.watching import only_own_requests


def test_every_operation_is_drawn_and_no_other_host_is_asked(page: Page, live_server, db) -> None:  # type: ignore[no-untyped-def]
    with only_own_requests(page, live_server.url):
        described = page.request.get("/api/schema/").json()["paths"]
        page.goto("/api/docs/")
        expect(page.locator(".opblock")).to_have_count(sum(map(len, described.values())))
        page.locator("#operations-captures-delete_capture .opblock-summary-control").click()
        expect(page.get_by_text("the receipt", exact=True)).to_be_visible()


def test_no_address_of_the_page_makes_it_read_another_description(
    page: Page, live_server: Any, db: None
) -> None:
    evil = "https%3A%2F%2Fevil.example%2Fopenapi.json"
    query = f"?url={evil}&configUrl={evil}&urls.primaryName={evil}&oauth2RedirectUrl={evil}"
    with only_own_requests(page, live_server.url):
        page.goto(f"/api/docs/{query}#%3Cimg%20src%3Dx%20onerror%3D%22window.hurt%3D1%22%3E")
        expect(page.locator("#operations-captures-delete_capture")).to_be_visible()
        assert page.evaluate("window.hurt") is None


def test_it_is_dark_where_pages_are_and_leads_back(page: Page, live_server: Any, db: None) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/api/docs/")
    expect(page.locator("html.dark-mode .swagger-ui .opblock").first).to_be_visible()
    for name, path in (("Response Inspector", "/"), ("Help", "/docs/")):
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("href", path)
    page.emulate_media(color_scheme="light")
    expect(page.locator("html.dark-mode")).to_have_count(0)
