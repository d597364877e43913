"""Flags in the drawings, and the list that they lead to."""

import json
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.deletion import delete
from tests.archive.samples import WHOLE
from tests.browser.watching import (
    assert_accessible_in_light_and_dark,
    assert_fits,
    no_windows,
    only_own_requests,
    sign_in,
)
from tests.browser.watching import look as open_page
from tests.dashboard.test_hostile import HOSTILE
from tests.people import Person
from tests.usage.past import WITH_REASONING, arrived, look

USAGE = "/t/default/usage/?range=24h"


@pytest.fixture
def changed(page: Page, owner: Person, live_server: Any) -> Page:
    arrived(owner, 30, 9)
    arrived(owner, 8, 2, WITH_REASONING)
    look()
    sign_in(page, owner, live_server.url)
    return page


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.thorough)])
def test_a_flag_leads_to_what_changed(changed: Page, width: int) -> None:
    changed.set_viewport_size({"width": width, "height": 500})
    changed.goto(USAGE)
    flags = changed.locator("svg.drawing a.flag")
    assert flags.count() == changed.locator("svg.drawing").count() > 1
    expect(flags.first).to_have_attribute(
        "aria-label", "A: reasoning_content appeared in answers of gpt-4o."
    )
    entry = changed.locator("#drift-A")
    expect(entry).not_to_be_in_viewport()
    flags.first.locator("rect").click()
    expect(entry).to_be_in_viewport()
    changed.wait_for_url("**#drift-A")
    assert_accessible_in_light_and_dark(changed)


@pytest.mark.thorough
def test_flags_of_one_moment_stand_at_one_place_and_the_first_captures_are_links(
    changed: Page, owner: Person
) -> None:
    changed.goto(USAGE)
    places = [each.bounding_box() for each in changed.locator(".small-charts a.flag rect").all()]
    assert len({round(box["x"]) for box in places if box}) == 1
    entry = changed.locator("#drift-A")
    first = entry.locator("a").first
    address = first.get_attribute("href") or ""
    first.click()
    changed.wait_for_url(f"**{address}")
    delete(owner.principal, UUID(address.split("/")[2]))
    changed.goto(USAGE)
    expect(entry.locator("a")).to_have_count(2)


def test_names_that_anybody_wrote_do_nothing(page: Page, owner: Person, live_server: Any) -> None:
    text = " ".join(HOSTILE)
    body = {**json.loads(WHOLE), "model": text}
    arrived(owner, 30, 9, json.dumps(body).encode())
    arrived(owner, 8, 2, json.dumps({**body, text[:50]: text, "system_fingerprint": text}).encode())
    look()
    sign_in(page, owner, live_server.url)
    with no_windows(page), only_own_requests(page, live_server.url):
        page.set_viewport_size({"width": 390, "height": 800})
        open_page(page, USAGE)
        assert page.locator(".drifts li").count() > 0
        assert page.evaluate("window.hurt") is None
        assert_fits(page, 390)
