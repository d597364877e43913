"""The page of the API: drawn by scripts of an installed package, under a policy of its own."""

from playwright.sync_api import Page, expect

from tests.browser.watching import only_own_requests


def test_every_operation_is_drawn_and_no_other_host_is_asked(page: Page, live_server, db) -> None:  # type: ignore[no-untyped-def]
    with only_own_requests(page, live_server.url):
        described = page.request.get("/api/schema/").json()["paths"]
        page.goto("/api/docs/")
        expect(page.locator(".opblock")).to_have_count(sum(map(len, described.values())))
        page.locator("#operations-captures-delete_capture .opblock-summary-control").click()
        expect(page.get_by_text("the receipt", exact=True)).to_be_visible()
