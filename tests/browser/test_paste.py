"""Pasting with a real browser: typed, pasted, dropped, stored."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.archive import queries
from inspector.archive.models import Capture
from tests.archive.samples import STREAM, WHOLE
from tests.browser.watching import (
    assert_accessible_and_fits,
    listening,
    look,
    only_own_requests,
    sign_in,
)
from tests.people import Person
from tests.transfer.test_har import entry, log

BROKEN = '{\n  "object": "chat.completion",\n  "choices": [{"message": {"content": "Hi",\n}}]\n}\n'
DROP = """([bytes, name]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], name));
    const told = { dataTransfer: transfer, bubbles: true, cancelable: true };
    document.body.dispatchEvent(new DragEvent("dragover", told));
    document.body.dispatchEvent(new DragEvent("drop", told));
}"""


@pytest.fixture
def paste(page: Page, owner: Person, live_server: Any) -> Page:
    sign_in(page, owner, live_server.url)
    page.goto("/paste/")
    return page


def stored(page: Page, person: Person) -> bytes:
    """Store what is shown, follow to its permalink, and fetch the bytes that are kept."""
    page.get_by_role("button", name="Store in Default").click()
    page.wait_for_url("**/captures/*/")
    exchange = queries.for_principal(person.principal).evidence(Capture.objects.get().pk)
    assert exchange is not None
    return exchange.body


def test_what_is_typed_is_read_at_once_and_stored_when_wanted(paste: Page, owner: Person) -> None:
    box = paste.get_by_label("Response", exact=True)
    box.press_sequentially('{"object":"chat', delay=5)
    expect(paste.locator("#result")).to_contain_text("Not a response.")
    box.fill(WHOLE.decode())
    expect(paste.locator("#result")).to_contain_text("Answered.")
    expect(paste.locator("#paste-status")).to_contain_text(f"{len(WHOLE)} bytes, 1 line")
    assert not Capture.objects.exists()
    assert stored(paste, owner) == WHOLE


def test_pasting_keeps_the_line_ends_that_a_box_would_change(
    paste: Page, owner: Person, live_server: Any
) -> None:
    paste.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=live_server.url)
    text = STREAM.decode().replace("\n", "\r\n")
    paste.evaluate("text => navigator.clipboard.writeText(text)", text)
    paste.get_by_label("Response", exact=True).focus()
    paste.keyboard.press("Control+V")
    expect(paste.locator("#paste-status")).to_contain_text("line ends kept as pasted")
    expect(paste.locator("#result")).to_contain_text("Answered.")
    assert stored(paste, owner) == text.encode()


def test_edit_of_what_was_pasted_makes_it_the_text_of_the_box(paste: Page, owner: Person) -> None:
    paste.evaluate(DROP, [list(b"a\r\nb"), "x.txt"])
    expect(paste.locator("#paste-status")).to_contain_text("x.txt, 4 bytes, 2 lines, byte for byte")
    # Two characters: with one, the bytes of the file and of the box would be equally many, and
    # what stands on the page would not tell which of them was read.
    paste.get_by_label("Response", exact=True).press_sequentially("!?")
    expect(paste.locator("#paste-status")).to_have_text("5 bytes, 2 lines")
    expect(paste.locator("#result")).to_contain_text("5 bytes exactly")
    assert stored(paste, owner) == b"a\nb!?"


@pytest.mark.parametrize("content", [STREAM.replace(b"\n", b"\r\n"), b"\xff\x00\xfe" * 7])
def test_a_dropped_file_is_kept_byte_for_byte(paste: Page, owner: Person, content: bytes) -> None:
    paste.evaluate(DROP, [list(content), "answer.sse"])
    expect(paste.locator("#paste-status")).to_contain_text(f"answer.sse, {len(content)} bytes")
    expect(paste.locator("#result")).to_contain_text("text/event-stream")
    assert stored(paste, owner) == content


@pytest.mark.thorough
def test_a_har_is_chosen_from(paste: Page, owner: Person, tmp_path: Path) -> None:
    other = entry(content={"mimeType": "text/plain", "text": "nothing of ours"}, headers=[])
    path = tmp_path / "all.har"
    path.write_text(json.dumps(log(other, entry())))
    paste.locator("input[type=file]").set_input_files(path)
    expect(paste.locator("#result")).to_contain_text("Answered.")
    paste.get_by_label("From a HAR, entry").select_option("0")
    expect(paste.locator("#result")).to_contain_text("Not a response.")
    assert stored(paste, owner) == b"nothing of ours"


def test_a_place_with_a_finding_is_washed_and_leads_to_its_line(paste: Page) -> None:
    box = paste.get_by_label("Response", exact=True)
    box.fill(BROKEN)
    expect(paste.locator(".wash.error")).to_have_count(1)
    paste.locator(".places a").first.click()
    expect(box).to_be_focused()
    selected = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
    assert box.evaluate(selected) == '  "choices": [{"message": {"content": "Hi",'


def test_too_much_is_told_without_sending_it(page: Page, owner: Person, live_server: Any) -> None:
    sign_in(page, owner, live_server.url)
    page.route(
        "**/paste/",
        lambda route: route.fulfill(
            body=re.sub(r'data-max-bytes="\d+"', 'data-max-bytes="10"', route.fetch().text())
        ),
    )
    page.goto("/paste/")
    asked: list[str] = []
    with listening(page, request=lambda request: asked.append(request.method)):
        page.get_by_label("Response", exact=True).fill("a" * 11)
        expect(page.locator("#paste-status")).to_contain_text("over the limit of 10 bytes")
    assert "POST" not in asked


def test_a_refusal_is_told_in_its_place(paste: Page) -> None:
    box = paste.get_by_label("Response", exact=True)
    box.fill('{"response": {"body": ""}, "tags": [1]}')
    expect(paste.get_by_role("alert")).to_contain_text("Not analysed.")
    paste.get_by_label("format").select_option("bytes as they are")
    expect(paste.locator("#result")).to_contain_text("Not a response.")


def test_pasting_works_without_scripts(
    new_context: CreateContextCallback, owner: Person, live_server: Any
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto("/paste/")
    page.get_by_label("Response", exact=True).fill("data: 1\n\ndata: [DONE]\n\n")
    page.get_by_role("button", name="Inspect").click()
    expect(page.locator("#result")).to_contain_text("with LF as line ends")
    assert page.get_by_label("Response", exact=True).input_value() == "data: 1\n\ndata: [DONE]\n\n"
    assert stored(page, owner) == b"data: 1\n\ndata: [DONE]\n\n"


@pytest.mark.thorough
def test_the_page_is_accessible_fits_and_keeps_to_itself_with_nothing_and_with_all_it_takes(
    page: Page, owner: Person, live_server: Any
) -> None:
    sign_in(page, owner, live_server.url)
    har = json.dumps(log(entry(), entry()))
    with only_own_requests(page, live_server.url):
        for content in ("", BROKEN, STREAM.decode(), har):
            page.set_viewport_size({"width": 1440, "height": 900})
            look(page, "/paste/")
            page.get_by_label("Response", exact=True).fill(content)
            if content:
                page.locator(".headline").wait_for()
            assert_accessible_and_fits(page)
