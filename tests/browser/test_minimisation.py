"""A finding is minimised on the page of its capture and followed to the smaller capture."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.background import minimising, task_steps
from inspector.archive.background.minimising import minimise_capture
from tests.archive.samples import WHOLE, inspect_all, inspected
from tests.browser.watching import assert_accessible_and_fits, look, sign_in
from tests.people import Person

BODY = WHOLE.replace(b'"total_tokens":5', b'"total_tokens":6')


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_steps, "STEPS", {"minimisation": minimise_capture})
    monkeypatch.setattr(minimising, "read_in_process", lambda operation, given: operation(given))
    monkeypatch.setattr(minimising, "STEP_SECONDS", -1.0)


def test_a_finding_is_minimised_and_followed_to_the_smaller_capture(
    page: Page, owner: Person, live_server, monkeypatch: pytest.MonkeyPatch
) -> None:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    source = inspected(owner, BODY)
    look(page, f"/captures/{source}/")
    row = page.locator(".finding", has_text="usage.total-mismatch")
    row.get_by_role("button", name="Minimise").click()
    expect(row.get_by_role("status")).to_contain_text("Waits for its turn.")
    task_steps.step()
    expect(row.get_by_role("status")).to_contain_text("bytes left")
    assert_accessible_and_fits(page)
    while task_steps.step():
        pass
    expect(row.get_by_role("status")).to_contain_text("still fires usage.total-mismatch")
    assert_accessible_and_fits(page)
    inspect_all()
    row.get_by_role("link", name=f"bytes of {len(BODY)}").click()
    expect(page.locator("#head")).to_contain_text("Minimised from")
    assert_accessible_and_fits(page)
    look(page, f"/captures/{source}/minimisations/")
    assert_accessible_and_fits(page)
