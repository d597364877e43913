"""Every split is requested on the page of a capture and followed to its end."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.background import splitting, task_steps
from inspector.archive.background.splitting import split_capture
from inspector.archive.readers.sdk_readers import SdkProgress, SdkStep
from inspector.core.splits.readers import ReaderSplits, ReaderState
from tests.archive.samples import SSE, STREAM, inspected
from tests.browser.watching import assert_accessible_and_fits, look, sign_in
from tests.people import Person


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def alone(work: str, given: SdkStep, seconds: float, largest: int) -> SdkProgress:
        words, state = "It is not installed here.", ReaderState.NOT_INSTALLED
        found = ReaderSplits(slug=given.slug, name=given.slug, state=state, sentence=words)
        return SdkProgress(found, 0, 0)

    monkeypatch.setattr(task_steps, "STEPS", {"splitting": split_capture})
    monkeypatch.setattr(splitting, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(splitting, "read_alone", alone)


def test_every_split_is_requested_and_followed_to_the_byte(
    page: Page, owner: Person, live_server
) -> None:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    capture_id = inspected(owner, STREAM, SSE)
    look(page, f"/captures/{capture_id}/")
    page.get_by_role("link", name="Every split").click()
    page.get_by_role("button", name="Check every split").click()
    expect(page.get_by_role("status")).to_contain_text("Waits for its turn.")
    while task_steps.step():
        pass
    expect(page.locator("#live")).to_contain_text("Our own reading is the same")
    expect(page.get_by_role("button", name="Check every split again")).to_be_visible()
    assert_accessible_and_fits(page)
    page.get_by_role("link", name="Byte 1", exact=True).first.click()
    expect(page.locator("#raw")).to_contain_text("64 61 74 61")
