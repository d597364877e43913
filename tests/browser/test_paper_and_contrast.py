"""Pages where they are no longer a screen of ours: on paper, in colours that the reader chose."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.archive.samples import accept_arrival, inspect_all
from tests.browser.test_capture import open_drawn, streamed
from tests.browser.watching import look
from tests.dashboard.capture.samples import DONE, TWO_CHOICES, call, chunk, delta
from tests.operations.recordings import recordings
from tests.people import Person

SAMPLES = tuple(recordings())
PAPER = {"width": 718, "height": 1000}
CUT_CALL = (
    (100_000, chunk(delta(role="assistant", **call("", name="book_shipment")))),
    (200_000, chunk(delta(**call('{"order":"48213')))),
    (300_000, chunk(delta(finish_reason="length")) + DONE),
)


def pages_of(pdf: bytes) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


PRINTED = ["choices", "tool_calls", "findings"]


def test_a_capture_is_printed_as_answer_broken_call_and_findings_in_full_width(
    owner_page: Page, owner: Person
) -> None:
    open_drawn(owner_page, streamed(owner, *CUT_CALL))
    owner_page.emulate_media(media="print")
    owner_page.set_viewport_size({"width": PAPER["width"], "height": PAPER["height"]})
    try:
        shown = owner_page.locator(".panel").evaluate_all(
            """(panels) => panels.filter((each) => each.checkVisibility())
                .map((each) => [each.id, each.getBoundingClientRect().width])"""
        )
        assert [name for name, _ in shown] == PRINTED
        assert min(width for _, width in shown) > PAPER["width"] - 80
        expect(owner_page.locator(".rail")).to_be_hidden()
    finally:
        owner_page.emulate_media(media="null")


@pytest.mark.parametrize("number", range(0, len(SAMPLES), 4))
def test_every_kind_of_sample_is_printed_on_three_pages_at_most(
    owner_page: Page, owner: Person, number: int
) -> None:
    capture_id = accept_arrival(owner, SAMPLES[number]).id
    inspect_all()
    look(owner_page, f"/captures/{capture_id}/")
    assert 1 <= pages_of(owner_page.pdf(format="A4")) <= 3


def test_under_forced_colours_labels_stand_on_paper(owner_page: Page, owner: Person) -> None:
    owner_page.emulate_media(forced_colors="active")
    try:
        open_drawn(owner_page, streamed(owner, *TWO_CHOICES))
        colours: dict[str, Any] = owner_page.evaluate(
            """async () => {
              const { coloursOf } = await import("/static/dashboard/timeline/colours.js");
              return coloursOf(document.querySelector(".lanes"));
            }"""
        )
        assert colours["paper"] != colours["ink"] == colours["content-mark"]
        assert colours["lit-edge"] not in (colours["paper"], colours["ink"])
    finally:
        owner_page.emulate_media(forced_colors="none")
