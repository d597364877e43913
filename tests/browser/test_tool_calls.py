"""Tool calls in a real browser: what is copied, the tree, and permalinks."""

from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read
from tests.archive.samples import SSE, accept_arrival, inspect_all
from tests.browser.watching import assert_accessible_and_fits, look, only_own_requests, sign_in
from tests.dashboard.capture.samples import DONE, call, chunk, delta
from tests.people import Person

CUT = '{"legs":[{"carrier":"dhl","big":12345678901234567890},{"carrier":"dpd","collect_'
WHOLE = '{"a":1,"a":2}'


def cut_call(person: Person) -> UUID:
    """Two calls; the first one ends inside a name."""
    pieces = [CUT[at : at + 9] for at in range(0, len(CUT), 9)]
    reads = [chunk(delta(0, **call("", name="book", id="a")))]
    reads += [chunk(delta(0, **call(piece))) for piece in pieces]
    reads += [chunk(delta(0, **call(WHOLE, index=1, name="note"))), chunk(delta(0, "length"))]
    exchange = Exchange.of_reads(
        [Read(1000 * n, text.encode()) for n, text in enumerate([*reads, DONE], start=1)], SSE
    )
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


@pytest.fixture
def page_of_calls(page: Page, owner: Person, live_server) -> Page:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    page.goto(f"/captures/{cut_call(owner)}/")
    return page


def test_a_repair_is_seen_and_not_copied(page_of_calls: Page) -> None:
    text = page_of_calls.locator("#args-0-0")
    expect(text.locator("ins")).to_have_text('":null}]}')
    page_of_calls.context.grant_permissions(["clipboard-read", "clipboard-write"])
    first = page_of_calls.locator("#call-0-0")
    first.get_by_role("button", name="Copy", exact=True).click()
    expect(first.get_by_role("button", name="Copied")).to_be_visible()
    assert page_of_calls.evaluate("navigator.clipboard.readText()") == CUT
    first.get_by_role("button", name="Copy repaired").click()
    expect(first.get_by_role("button", name="Copied")).to_have_count(2)
    assert page_of_calls.evaluate("navigator.clipboard.readText()") == CUT + '":null}]}'


def test_the_tree_comes_by_a_link_and_stays_in_the_address(page_of_calls: Page) -> None:
    panel = page_of_calls.locator("#tool_calls")
    panel.get_by_role("link", name="Tree").click()
    expect(panel.locator(".tree")).to_have_count(2)
    expect(panel.locator(".tree").first).to_contain_text("12345678901234567890")
    expect(panel.locator(".tree").last).to_contain_text("sent 2 times")
    page_of_calls.wait_for_url("**tool_calls=tree**")
    page_of_calls.reload()
    expect(panel.locator(".tree")).to_have_count(2)
    panel.get_by_role("link", name="Text").click()
    expect(panel.locator(".args-text")).to_have_count(2)
    page_of_calls.wait_for_url(lambda url: "tool_calls" not in url.partition("#")[0])


def test_the_answer_leads_to_a_call_that_is_marked(page_of_calls: Page) -> None:
    page_of_calls.locator("#choices .call-line a").last.click()
    page_of_calls.wait_for_url("**#call-0-1")
    expect(page_of_calls.locator("#call-0-1:target")).to_be_in_viewport()


@pytest.mark.thorough
def test_both_views_are_accessible_and_fit(page_of_calls: Page, live_server: Any) -> None:
    path = page_of_calls.url.partition("?")[0]
    with only_own_requests(page_of_calls, live_server.url):
        for query in ("", "?tool_calls=tree"):
            look(page_of_calls, f"{path}{query}")
            assert_accessible_and_fits(page_of_calls)


def test_hexadecimal_stands_where_the_headline_says_that_a_call_breaks(page_of_calls: Page) -> None:
    broken = page_of_calls.locator("h1").get_by_role("link", name="byte ")
    byte = broken.inner_text().removeprefix("byte ")
    broken.click()
    beside = page_of_calls.locator("#raw .beside")
    expect(beside).to_contain_text(f"Around byte {byte}")
    expect(page_of_calls.locator("#raw tr.arrived")).to_be_in_viewport()
