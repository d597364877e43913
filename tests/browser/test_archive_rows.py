"""The rows of the archive: head, columns, one line or two, and a narrow window."""

from datetime import UTC, datetime

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.wire.exchange import Exchange, Read, Request
from tests.archive.samples import (
    CUT,
    JSON,
    SSE,
    STREAM,
    WHOLE,
    accept,
    accept_arrival,
    inspect_all,
    inspected,
)
from tests.browser.test_capture import stalled
from tests.browser.test_find import wait_for_marked
from tests.browser.watching import FITS, assert_accessible, assert_accessible_and_fits
from tests.people import Person

ARCHIVE = "/t/default/captures/"
POINTS = """() => new Set([...document.querySelectorAll("td.cost .decimals")].map(
    (each) => Math.round(each.getBoundingClientRect().left))).size"""


def test_the_head_stays_in_sight_and_sorts(owner_page: Page, owner: Person) -> None:
    for _ in range(30):
        accept(owner)
    stalled(owner)
    owner_page.set_viewport_size({"width": 1280, "height": 500})
    owner_page.goto(ARCHIVE)
    head = owner_page.get_by_role("columnheader", name="first s")
    owner_page.mouse.wheel(0, 600)
    owner_page.wait_for_function("() => window.scrollY > 300")
    expect(head).to_be_in_viewport()
    head.get_by_role("link").click()
    owner_page.wait_for_url("**/captures/?sort=-first_token")
    expect(head).to_have_attribute("aria-sort", "descending")
    head.get_by_role("link").click()
    owner_page.wait_for_url("**/captures/?sort=first_token")
    expect(head).to_have_attribute("aria-sort", "ascending")
    expect(owner_page.locator("#status")).to_contain_text("New captures are not added")


def test_columns_are_chosen_and_kept(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.goto(ARCHIVE)
    cost = owner_page.get_by_role("columnheader", name="cost")
    size = owner_page.get_by_role("columnheader", name="size")
    expect(cost).to_be_visible()
    expect(size).to_be_hidden()
    owner_page.get_by_text("Columns", exact=True).first.click()
    owner_page.get_by_label("cost", exact=True).uncheck()
    owner_page.get_by_label("size", exact=True).check()
    assert_accessible(owner_page)
    owner_page.keyboard.press("Escape")
    expect(owner_page.locator("#view-choices")).not_to_have_attribute("open", "")
    owner_page.reload()
    expect(cost).to_be_hidden()
    expect(size).to_be_visible()
    owner_page.get_by_text("Columns", exact=True).first.click()
    owner_page.get_by_role("button", name="Reset").click()
    expect(cost).to_be_visible()
    owner_page.reload()
    expect(cost).to_be_visible()
    expect(size).to_be_hidden()


def test_the_prompt_below_the_answer_is_a_choice_that_is_kept(
    owner_page: Page, owner: Person
) -> None:
    asked = Request(body=b'{"messages":[{"role":"user","content":"When does it clear?"}]}')
    capture_id = accept_arrival(
        owner, Submission(Exchange(reads=(Read(None, WHOLE),), content_type=JSON, request=asked))
    ).id
    inspect_all()
    owner_page.goto(ARCHIVE)
    prompt = owner_page.locator(f"#row-{capture_id} .prompted")
    expect(prompt).to_be_hidden()
    owner_page.get_by_text("Columns", exact=True).first.click()
    owner_page.get_by_label("prompt below the answer").check()
    owner_page.reload()
    expect(prompt).to_have_text("prompt: When does it clear?")
    expect(prompt).to_be_visible()


def test_times_are_left_out_until_a_row_has_some(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.goto(ARCHIVE)
    first = owner_page.get_by_role("columnheader", name="first s")
    expect(owner_page.get_by_role("columnheader", name="answer")).to_be_visible()
    expect(first).to_be_hidden()
    stalled(owner)
    expect(first).to_be_visible()


def test_when_calls_arrived_is_told_where_one_was_sent_here_later(
    owner_page: Page, owner: Person
) -> None:
    inspected(owner)
    owner_page.goto(ARCHIVE)
    head = owner_page.get_by_role("columnheader", name="arrived")
    expect(head).to_have_count(0)
    began = datetime(2026, 11, 3, 14, 2, 19, tzinfo=UTC)
    accept_arrival(owner, Submission(Exchange.of_body(WHOLE, JSON), started_at=began))
    expect(head).to_be_visible()
    told = owner_page.locator("td.col-arrived")
    expect(told.first).to_be_empty()
    expect(told.last).not_to_be_empty()
    expect(owner_page.locator("#rows .col-time").last).to_have_text("03 Nov 14:02")


@pytest.mark.thorough
def test_on_paper_the_list_has_nothing_to_press(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.goto(ARCHIVE)
    # The facets come after the page.
    expect(owner_page.locator("#more-facets")).to_be_visible()
    owner_page.emulate_media(media="print")
    pressed = owner_page.locator("button, select, input:not([name=capture]), summary")
    expect(pressed.filter(visible=True)).to_have_count(0)
    owner_page.emulate_media(media="null")


@pytest.mark.thorough
def test_a_narrow_row_keeps_its_answer_result_and_money(owner_page: Page, owner: Person) -> None:
    inspected(owner, CUT)
    capture_id = stalled(owner)
    accept(owner, STREAM, SSE)
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto(ARCHIVE)
    row = owner_page.locator(f"#row-{capture_id}")
    for name in (".col-time", ".col-result", ".row-link", ".model", ".cost", ".first", ".total"):
        expect(row.locator(name)).to_be_visible()
    assert owner_page.evaluate(FITS)
    owner_page.get_by_label("Sort by").select_option("-duration")
    owner_page.wait_for_url("**/captures/?sort=-duration")
    assert_accessible_and_fits(owner_page)


def test_a_link_to_a_hit_opens_the_capture_at_it(owner_page: Page, owner: Person) -> None:
    owner_page.goto(f"/captures/{stalled(owner)}/#find=WORD30%20")
    bar = owner_page.get_by_role("dialog", name="Find in this capture")
    expect(bar.locator("output")).to_have_text("1 of 2")
    wait_for_marked(owner_page, "word30 ")


def test_costs_align_at_the_decimal_point(owner_page: Page, owner: Person) -> None:
    for usd in ("0", "0.00001", "0.0123", "12.5"):
        inspected(owner, WHOLE.replace(b'"choices":[{', f'"choices":[{{"cost_usd":{usd},'.encode()))
    owner_page.goto(ARCHIVE)
    costs = owner_page.locator("td.cost")
    expect(costs).to_have_text(["$12.5000", "$0.0123", "<$0.0001", "$0"])
    assert owner_page.evaluate(POINTS) == 1


def test_the_menu_of_the_list_opens_inside_a_narrow_window(owner_page: Page, owner: Person) -> None:
    inspected(owner)
    owner_page.set_viewport_size({"width": 390, "height": 800})
    owner_page.goto(ARCHIVE)
    owner_page.locator("#list-menu summary").click()
    box = owner_page.locator("#list-menu .drop-list").bounding_box()
    assert box is not None
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
