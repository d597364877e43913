"""The menu of fixtures on a capture's page, and a HAR that a browser plays."""

from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import Browser, Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import SSE, STREAM, accept_arrival, inspect_all, inspected
from tests.browser.watching import assert_accessible, assert_fits, sign_in
from tests.people import Person

URL = "https://llm.example/v1/chat/completions"
FETCHED = """async () => {
  const answer = await fetch(location.href)
  return [answer.status, [...new Uint8Array(await answer.arrayBuffer())]]
}"""


def test_the_menu_downloads_a_file_for_tests(page: Page, owner: Person, live_server) -> None:  # type: ignore[no-untyped-def]
    capture_id = inspected(owner, STREAM, SSE)
    sign_in(page, owner, live_server.url)
    page.goto(f"/captures/{capture_id}/")
    page.locator("#capture-menu > summary").click()
    page.get_by_text("Files for tests", exact=True).click()
    expect(page.get_by_role("link", name="HAR", exact=True)).to_be_visible()
    assert_fits(page, 1440, 390)
    assert_accessible(page)
    with page.expect_download() as waited:
        page.get_by_role("link", name="HAR", exact=True).click()
    assert waited.value.suggested_filename == f"{capture_id}.har"
    assert b'"log"' in Path(waited.value.path()).read_bytes()


@pytest.mark.parametrize("body", [STREAM, "data: Grüß \U0001f44b\n\n".encode(), b"\x00\xff\xfe"])
def test_a_browser_plays_a_har_as_the_answer(
    browser: Browser, owner: Person, tmp_path: Path, body: bytes
) -> None:
    request = Request(method="GET", url=URL, headers=())
    exchange = Exchange(
        reads=(Read(5, body[:2]), Read(9, body[2:])),
        status_code=203,
        headers=(("content-type", SSE), ("access-control-allow-origin", "*")),
        request=request,
    )
    capture_id: UUID = accept_arrival(owner, Submission(exchange)).id
    inspect_all()
    path = tmp_path / "answer.har"
    path.write_bytes(owner.get(f"/api/v1/captures/{capture_id}/fixture/?kind=har").body)
    with browser.new_context() as context:
        context.route_from_har(path, not_found="abort")
        page = context.new_page()
        page.goto(URL)
        assert page.evaluate(FETCHED) == [203, list(body)]
