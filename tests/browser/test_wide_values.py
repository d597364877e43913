"""However long what a sender sends, a page is as wide as its window and says that there is more."""

import json
from datetime import timedelta
from itertools import pairwise

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import (
    CUT,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.browser.watching import assert_accessible
from tests.feedback.voting import token_for, voted
from tests.people import Person

LONG = b"a_finish_reason_that_nobody_documented_" * 8


def many_choices(person: Person, number: int) -> str:
    choices = [
        {
            "index": n,
            "message": {"content": "Words."},
            "finish_reason": "length" if n % 2 else "stop",
        }
        for n in range(number)
    ]
    body = json.dumps({"object": "chat.completion", "model": "m", "choices": choices}).encode()
    return f"/captures/{inspected(person, body)}/"


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_long_names_widen_no_page(owner_page: Page, owner: Person, width: int) -> None:
    call = b'"tool_calls":[{"id":"%s","function":{"name":"%s","arguments":"{}"}}],' % (LONG, LONG)
    body = WHOLE.replace(b"stop", LONG).replace(b"gpt-4o", LONG)
    capture_id = inspected(owner, body.replace(b'"content"', call + b'"content"'))
    many_choices(owner, 60)
    owner_page.set_viewport_size({"width": width, "height": 800})
    for address in ("/t/default/captures/", f"/captures/{capture_id}/", "/t/default/usage/"):
        owner_page.goto(address)
        assert fits(owner_page), address
    owner_page.goto("/t/default/captures/")
    for cell in (".model", ".row-link"):
        box = owner_page.locator(f"#row-{capture_id} {cell}").bounding_box()
        assert box and box["width"] > 60


def test_a_long_model_to_compare_with_widens_no_page(owner_page: Page, owner: Person) -> None:
    asked = Request(body=b'{"messages":[{"role":"user","content":"Where to?"}]}')
    first, _ = (
        accept_arrival(owner, Submission(Exchange(reads=(Read(None, body),), request=asked))).id
        for body in (WHOLE, WHOLE.replace(b"gpt-4o", LONG))
    )
    inspect_all()
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto(f"/captures/{first}/")
    expect(owner_page.locator(".same-prompt")).to_contain_text("compare with a_finish_reason")
    assert fits(owner_page)


def test_counts_of_the_rail_stand_beside_their_panels(owner_page: Page, owner: Person) -> None:
    owner_page.set_viewport_size({"width": 1024, "height": 800})
    owner_page.goto(f"/captures/{inspected(owner)}/")
    heights = owner_page.locator(".rail li:visible").evaluate_all(
        "(lines) => lines.map((each) => each.clientHeight)"
    )
    assert max(heights) == min(heights)


def test_a_group_of_usage_is_a_block_with_all_its_figures_in_a_narrow_window(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto("/t/default/usage/")
    table = owner_page.get_by_role("region", name="Table of the groups")
    assert table.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    for figure in table.locator("tbody .num:visible").all():
        box = figure.bounding_box()
        assert box and box["x"] + box["width"] <= 390
    expect(table.locator("td.captures")).to_have_attribute("data-unit", "capture")
    expect(table.locator("thead").get_by_text("cost", exact=True)).to_be_visible()


def test_beside_a_change_a_price_can_still_be_set_in_a_narrow_window(
    owner_page: Page, owner: Person
) -> None:
    for days in (10, 0):
        at = timezone.now() - timedelta(days=days)
        Capture.objects.filter(pk=accept(owner)).update(received_at=at, called_at=at)
        inspect_all()
    inspected(owner, WHOLE.replace(b"gpt-4o", b"parcel-1"))
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto("/t/default/usage/?range=7d")
    table = owner_page.get_by_role("region", name="Table of the groups")
    box = table.get_by_role("link", name="Set a price").bounding_box()
    assert box and box["x"] + box["width"] <= 390
    owner_page.set_viewport_size({"width": 1280, "height": 800})
    expect(table.get_by_role("columnheader", name="change")).to_be_visible()


def test_every_column_of_usage_is_in_a_common_window(owner_page: Page, owner: Person) -> None:
    reads = (Read(1_200, STREAM[:150]), Read(17_000_000, STREAM[150:]))
    accept_arrival(owner, Submission(Exchange(reads=reads, content_type=SSE)))
    inspected(owner, WHOLE.replace(b"gpt-4o", b"gemini-2.0-flash-thinking-exp"))
    voted(owner, token_for(owner, inspected(owner)), "negative")
    inspected(owner, CUT)
    owner_page.set_viewport_size({"width": 1280, "height": 800})
    owner_page.goto("/t/default/usage/")
    table = owner_page.get_by_role("region", name="Table of the groups")
    for head in ("cost unknown", "total s", "not complete", "negative votes"):
        expect(table.get_by_role("columnheader", name=head)).to_be_visible()
    assert table.evaluate("(each) => each.scrollWidth <= each.clientWidth")
    heights = table.locator("tbody tr").evaluate_all("(rows) => rows.map((e) => e.clientHeight)")
    assert max(heights) == min(heights)


def test_of_many_choices_the_next_is_seen_at_the_edge_and_stepped_to(
    owner_page: Page, owner: Person
) -> None:
    owner_page.set_viewport_size({"width": 1440, "height": 900})
    owner_page.goto(many_choices(owner, 60))
    assert_accessible(owner_page)
    steps, row = owner_page.locator(".step-choices"), owner_page.locator(".columns-many")
    expect(steps.get_by_role("status")).to_have_text("choices 0 to 2 of 60")
    box, edge = row.bounding_box(), owner_page.locator(".choice").nth(3).bounding_box()
    assert box and edge and edge["x"] < box["x"] + box["width"] < edge["x"] + edge["width"]
    expect(steps.get_by_role("button", name="previous")).to_be_disabled()
    steps.get_by_role("button", name="next").click()
    expect(steps.get_by_role("status")).to_have_text("choices 3 to 5 of 60")
    steps.get_by_role("button", name="previous").click()
    expect(steps.get_by_role("status")).to_have_text("choices 0 to 2 of 60")
    row.evaluate("(each) => each.scrollTo(each.scrollWidth, 0)")
    expect(steps.get_by_role("button", name="next")).to_be_disabled()
    expect(steps.get_by_role("status")).to_contain_text("to 59 of 60")


def test_hours_below_a_drawing_stand_apart(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 1280, "height": 800})
    owner_page.goto("/t/default/usage/?range=24h")
    owner_page.get_by_text("More figures").click()
    ticks = owner_page.get_by_role("region", name="Finish reasons per hour").locator(
        ".ticks text:visible"
    )
    edges = ticks.evaluate_all(
        "(hours) => hours.map((e) => e.getBoundingClientRect()).map((e) => [e.left, e.right])"
    )
    assert len(edges) > 2
    assert all(here[1] + 4 < following[0] for here, following in pairwise(edges))
