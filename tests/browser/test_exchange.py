"""The exchange in a real browser: wide and hostile values change neither the page nor its width."""

from typing import Any

from playwright.sync_api import Browser, Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import WHOLE, accept_arrival, inspect_all
from tests.browser.watching import (
    assert_accessible_and_fits,
    look,
    no_windows,
    only_own_requests,
    sign_in,
)
from tests.people import Person

HOSTILE = "<script>alert(1)</script><img src=//other.example/x onerror=alert(2)>"


def stored(person: Person) -> str:
    exchange = Exchange(
        reads=(Read(None, WHOLE),),
        content_type="application/json",
        headers=(
            ("x-request-id", "req_7"),
            ("x-wide", "w" * 100_000),
            ("n" * 5_000, HOSTILE),
            ("x-bell", "\x07\u202e"),
        ),
        request=Request(method="POST", url=f"https://api.example/{'p' * 3_000}"),
    )
    metadata = {"m" * 500: {"deep": ["x" * 5_000, HOSTILE]}}
    capture_id = accept_arrival(person, Submission(exchange, metadata=metadata)).id
    inspect_all()
    return f"/captures/{capture_id}/"


def test_wide_and_hostile_values_fit_and_do_nothing(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    path = stored(owner)
    with only_own_requests(page, live_server.url), no_windows(page):
        look(page, f"{path}#exchange")
        exchange = page.locator("#exchange")
        expect(exchange).to_contain_text("the provider's id of this request")
        expect(exchange).to_contain_text("[BEL][RLO]")
        expect(exchange.locator("img, script")).to_have_count(0)
        exchange.get_by_text("10,000 more characters").first.click()
        assert_accessible_and_fits(page)


def test_a_header_is_found_and_leads_to_the_panel_without_scripts(
    browser: Browser, owner: Person, live_server: Any
) -> None:
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    try:
        page = context.new_page()
        sign_in(page, owner, live_server.url)
        path = stored(owner)
        page.goto(f"{path}find/?q=REQ_7")
        page.get_by_role("link", name="x-request-id: req_7").click()
        expect(page.locator("#exchange")).to_contain_text("x-request-id")
        assert page.url.endswith(f"{path}#exchange")
    finally:
        context.close()
