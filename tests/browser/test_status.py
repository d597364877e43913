"""The status page in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.inspection import reinspection
from tests.archive.older import grow_old
from tests.archive.samples import inspect_all, inspected
from tests.browser.watching import assert_accessible_and_fits, only_own_requests, sign_in
from tests.dashboard.status.test_status_page import STATUS, quarantine
from tests.people import Person


def test_from_the_archive_to_a_capture_that_is_tried_again(
    page: Page, owner: Person, live_server: Any
) -> None:
    inspected(owner)
    quarantine(owner)
    sign_in(page, owner, live_server.url)
    page.goto("/t/default/captures/")
    page.get_by_role("link", name="1 quarantined").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Quarantined.")
    page.get_by_role("button", name="Retry").click()
    expect(page.get_by_text("No captures in quarantine.")).to_be_visible()
    inspect_all()
    page.get_by_role("link", name="Refresh").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Up to date.")


@pytest.mark.thorough
def test_the_status_page_is_accessible_fits_and_keeps_to_itself(
    page: Page, owner: Person, live_server: Any
) -> None:
    inspected(owner)
    quarantine(owner, "DecodeError: " + "x" * 300)
    grow_old(inspected(owner))
    reinspection.open_jobs()
    sign_in(page, owner, live_server.url)
    with only_own_requests(page, live_server.url):
        page.goto(STATUS)
        expect(page.get_by_text("Analysing again: 0 of 1")).to_be_visible()
        assert_accessible_and_fits(page)
