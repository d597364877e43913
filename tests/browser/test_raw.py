"""The bytes as text, hexadecimal, tree and request in a real browser."""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import JSON, SSE, accept_arrival, inspect_all, inspected
from tests.browser.watching import assert_accessible, only_own_requests, sign_in
from tests.dashboard.capture.samples import TWO_CHOICES
from tests.people import Person

DOCUMENT = {
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "Ship <b>it</b>"}}],
    "many": [{"n": n} for n in range(450)],
}


@pytest.mark.thorough
def test_a_value_of_the_tree_stands_on_the_line_of_its_name(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    page.goto(f"/captures/{inspected(owner, json.dumps(DOCUMENT).encode(), JSON)}/?raw=tree#raw")
    leaf = page.locator(".json-tree .leaf", has_text="chat.completion")
    expect(leaf).to_be_visible()
    name, value = leaf.locator(".k").bounding_box(), leaf.locator(".v-text").bounding_box()
    assert name and value and abs(name["y"] - value["y"]) < 2


def test_the_tree_is_gone_through_by_keys_searched_and_opened_by_windows(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    body = json.dumps(DOCUMENT).encode()
    capture_id = inspected(owner, body, JSON)
    with only_own_requests(page, live_server.url):
        page.goto(f"/captures/{capture_id}/?raw=tree#raw")
        pointer = page.locator("#tree-pointer")
        page.locator("[data-tree] > .node > details > summary").focus()
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        expect(pointer).to_have_text("/choices")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowDown")
        expect(pointer).to_have_text("/many")
        page.keyboard.press("ArrowRight")
        many = page.locator('[data-pointer="/many"] > details > ul')
        expect(many.locator("> .node")).to_have_count(200)
        many.get_by_role("link", name="next 200").click()
        expect(page.locator('[data-pointer="/many/200"]')).to_have_count(1)
        page.locator('[data-pointer="/many/201"] > details > summary').click()
        expect(page.locator('[data-pointer="/many/201/n"]')).to_have_text("n: 201")
        assert_accessible(page)
        page.get_by_label("Find in names and values").fill("<b>")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="/choices/0/message/content").click()
        expect(page.locator(".requested > .leaf")).to_contain_text('"Ship <b>it</b>"')
        page.wait_for_url(lambda url: "find=" in url and "at=" in url)
        page.locator(".tree-at").get_by_role("link", name="in hex").click()
        expect(page.locator(".hex .lit").first).to_contain_text("22 53 68 69 70")
        page.go_back()
        expect(pointer).to_have_text("/choices/0/message/content")
        page.locator(".tree-at").get_by_role("link", name="in the text").click()
        expect(page.locator("#raw tr.arrived")).to_have_count(1)
        place = f"#byte-{body.index(b'Ship') - 1}"
        page.wait_for_url(lambda url: "raw=tree" not in url and place in url)


def test_hexadecimal_follows_the_text_and_goes_to_any_byte(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    asked = Request(method="POST", url="https://api.example.org/v1", body=b'{"model":"m"}')
    reads = tuple(Read(at, text.encode()) for at, text in TWO_CHOICES)
    exchange = Exchange(reads=reads, content_type=SSE, status_code=200, request=asked)
    capture_id = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    page.goto(f"/captures/{capture_id}/")
    beside = page.locator(".beside")
    expect(beside).to_contain_text("The first bytes")
    page.locator("#event-5 a").first.click()
    expect(beside).to_contain_text("event #5")
    expect(beside.locator(".lit").first).to_have_text("64")
    assert_accessible(page)
    page.locator("#raw").get_by_role("link", name="Hex", exact=True).click()
    page.get_by_label("Go to byte").fill("0x10")
    page.keyboard.press("Enter")
    expect(page.locator(".hex .lit").first).to_have_text(f"{exchange.body[16]:02x}")
    page.wait_for_url(lambda url: "raw=hex" in url and "byte=0x10" in url)
    assert_accessible(page)
    page.locator("#raw").get_by_role("link", name="Request").click()
    expect(page.locator("#as-curl")).to_contain_text("--url https://api.example.org/v1")
    assert_accessible(page)


def test_a_byte_inside_a_long_line_is_shown_and_marked(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    body = json.dumps({**DOCUMENT, "long": "x" * 90_000 + "Z" + "y" * 90_000}).encode()
    capture_id, at = inspected(owner, body, JSON), body.index(b"Z")
    page.goto(f"/captures/{capture_id}/#byte-{at}")
    expect(page.locator("#raw .lit-byte")).to_have_text("Z")
    expect(page.locator("#raw .lit-byte")).to_be_in_viewport()
    expect(page.locator(".beside .lit").first).to_have_text("5a")
