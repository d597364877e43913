"""The timeline in a real browser: hands and keys on the drawing, odd clocks, and the table."""

import json
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.archive.samples import inspected
from tests.browser.test_capture import moment, open_drawn, stalled, streamed
from tests.browser.watching import assert_accessible, press_key_of
from tests.dashboard.capture.samples import DONE, TWO_CHOICES, chunk, delta
from tests.people import Person

HEARD = """() => {
  window.heard = [];
  document.addEventListener("pointed", ({ detail }) => heard.push([detail.event, detail.pinned]));
}"""


def heard(page: Page) -> list[Any]:
    return list(page.evaluate("heard"))


def canvas(page: Page) -> Locator:
    return page.locator("#timeline canvas")


def at(page: Page, share: float, y: float = 56) -> tuple[float, float]:
    """A place on the canvas, by its share of the axis."""
    canvas(page).scroll_into_view_if_needed()
    box = canvas(page).bounding_box()
    assert box
    return box["x"] + 184 + share * (box["width"] - 184 - 46), box["y"] + y


def open_table(page: Page, capture_id: UUID) -> Locator:
    page.goto(f"/captures/{capture_id}/?timeline=table")
    page.locator(".events[data-drawn]").wait_for()
    return page.locator(".event-grid")


def shown_rows(page: Page) -> Locator:
    return page.locator(".event-rows .event-row .num a")


# -- the drawing ----------------------------------------------------------------------------------


@pytest.mark.thorough
def test_every_speed_reaches_the_end(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, streamed(owner, *TWO_CHOICES))
    speeds = owner_page.locator(".player .choose button")
    assert speeds.all_inner_texts() == ["0.25×", "0.5×", "1×", "2×", "4×", "8×", "16×"]
    for name in ("0.25×", "16×"):
        owner_page.get_by_role("button", name=name, exact=True).click()
        expect(owner_page.locator(f'.player [data-speed="{name[:-1]}"]')).to_have_attribute(
            "aria-pressed", "true"
        )
        owner_page.get_by_role("button", name="Replay").click()
        expect(owner_page.locator(".player output")).to_contain_text("0.950 s of 0.950 s")
        expect(owner_page.get_by_role("button", name="Replay")).to_be_visible()


def test_the_text_of_a_lane_grows_in_place(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    canvas(owner_page).focus()
    owner_page.keyboard.press("ArrowRight")
    grown = owner_page.locator(".moment .grown")
    expect(grown).to_have_text("word0 ")
    owner_page.evaluate("window.node = document.querySelector('.moment .grown').firstChild")
    owner_page.keyboard.press("ArrowRight")
    expect(grown).to_have_text("word0 word1 ")
    assert owner_page.evaluate("node.data") == "word0 word1 "
    owner_page.keyboard.press("ArrowLeft")
    expect(grown).to_have_text("word0 ")
    owner_page.keyboard.press("End")
    expect(grown).to_contain_text("late10 ")
    expect(owner_page.locator(".moment")).to_contain_text("choice 0 content 407 of 407")


def test_what_is_pointed_at_is_told_to_the_page(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    owner_page.evaluate(HEARD)
    canvas(owner_page).focus()
    owner_page.keyboard.press("ArrowRight")
    owner_page.keyboard.press("]")
    assert heard(owner_page) == [[0, False], [49, False]]
    owner_page.mouse.move(*at(owner_page, 3.3 / (3.4 * 1.04)))
    expect(owner_page.locator(".readout")).to_contain_text("11 chunks, events #50 to #60")
    owner_page.mouse.down()
    owner_page.mouse.up()
    assert heard(owner_page)[-1] == [50, True]
    assert moment(owner_page).startswith("3.300 s")
    owner_page.mouse.move(0, 0)
    assert heard(owner_page)[-1] == [None, False]


@pytest.mark.thorough
def test_what_the_page_lights_is_drawn_until_the_next(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))

    def picture() -> str:
        owner_page.evaluate(
            "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
        )
        return str(owner_page.evaluate("document.querySelector('#timeline canvas').toDataURL()"))

    def light(detail: object) -> None:
        told = json.dumps({"detail": detail})
        owner_page.evaluate(f"void document.dispatchEvent(new CustomEvent('lit', {told}))")

    plain = picture()
    light({"events": [[3, 7]], "lane": 0, "start": 0, "end": 9})
    lit = picture()
    assert lit != plain
    assert picture() == lit
    light(None)
    assert picture() == plain


def test_hands_zoom_and_pan_the_view(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    place = at(owner_page, 0.6)
    owner_page.mouse.move(*place)
    readout = owner_page.locator(".readout")
    expect(readout).to_contain_text("2.12")
    owner_page.keyboard.down("Control")
    for _ in range(8):
        owner_page.mouse.wheel(0, -100)
    owner_page.keyboard.up("Control")
    # What was under the pointer stays there.
    owner_page.mouse.move(place[0] + 1, place[1])
    expect(readout).to_contain_text("2.12")
    owner_page.keyboard.down("Shift")
    owner_page.mouse.down()
    owner_page.mouse.move(place[0] - 300, place[1], steps=4)
    owner_page.mouse.up()
    owner_page.keyboard.up("Shift")
    assert "of" not in moment(owner_page).split("text")[0]
    owner_page.mouse.move(*place)
    expect(readout).not_to_contain_text("2.12")
    owner_page.keyboard.press("0")
    owner_page.mouse.move(place[0] + 1, place[1])
    expect(readout).to_contain_text("2.12")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("times", "sentence"),
    [
        ([200_000, 900_000, 300_000, 1_000_000], "2 reads have times that contradict others"),
        ([100_000, 200_000, 300_000, 400_000], ""),
    ],
)
def test_odd_clocks_are_drawn_with_a_sentence(
    owner_page: Page, owner: Person, times: list[int], sentence: str
) -> None:
    texts = [chunk(delta(content=word)) for word in ("one ", "two ", "three ")]
    end = chunk(delta(finish_reason="stop")) + DONE
    open_drawn(owner_page, streamed(owner, *zip(times, [*texts, end], strict=True)))
    told = owner_page.locator("#timeline .lanes > .why:visible")
    expect(told).to_have_count(1 if sentence else 0)
    if sentence:
        expect(told).to_contain_text(sentence)
    canvas(owner_page).focus()
    owner_page.keyboard.press("End")
    expect(owner_page.locator(".moment .grown")).to_have_text("one two three ")


def test_without_a_clock_the_axis_is_the_order(owner_page: Page, owner: Person) -> None:
    body = "".join(text for _, text in TWO_CHOICES).encode()
    open_drawn(owner_page, inspected(owner, body, "text/event-stream"))
    expect(owner_page.locator(".legend-words")).to_contain_text("axis: the order of events")
    canvas(owner_page).focus()
    owner_page.keyboard.press("ArrowRight")
    assert moment(owner_page).startswith("event #3 of event #9")
    expect(owner_page.locator("#timeline")).not_to_contain_text("0.000 s")


@pytest.mark.thorough
def test_two_hundred_choices_are_drawn_in_parts(owner_page: Page, owner: Person) -> None:
    reads = [(1_000 * n, chunk(delta(n, content=f"choice {n}"))) for n in range(1, 201)]
    open_drawn(owner_page, streamed(owner, *reads, (300_000, DONE)))
    box = canvas(owner_page).bounding_box()
    assert box and box["height"] < 2_000
    parts = owner_page.get_by_label("Choices that are drawn")
    assert parts.locator("option").count() == 5
    press_key_of(owner_page, "timeline")
    owner_page.keyboard.press("End")
    expect(owner_page.locator(".moment")).to_contain_text("28 more lanes")
    parts.select_option("choices 161 to 200")
    expect(owner_page.locator(".moment")).to_contain_text("choice 170")


@pytest.mark.thorough
def test_marks_closer_than_pixels_are_columns_that_say_so(owner_page: Page, owner: Person) -> None:
    reads = [(1_000 * n, chunk(delta(content=f"word{n} "))) for n in range(1, 1_001)]
    open_drawn(owner_page, streamed(owner, *reads, (1_040_000, DONE)))
    readout = owner_page.locator(".readout")
    expect(readout).to_contain_text("one column is 0.00")
    owner_page.mouse.move(*at(owner_page, 0.5))
    expect(readout).to_contain_text("chunks, events #")
    for _ in range(4):
        owner_page.keyboard.press("+")
    owner_page.mouse.move(0, 0)
    expect(readout).to_have_text("")


@pytest.mark.thorough
def test_a_very_long_text_is_fetched_when_wanted(owner_page: Page, owner: Person) -> None:
    long = "word " * 90_000
    reads = [(100_000, chunk(delta(content=long))), (200_000, chunk(delta(content="end")))]
    open_drawn(owner_page, streamed(owner, *reads, (300_000, DONE)))
    canvas(owner_page).focus()
    owner_page.keyboard.press("End")
    expect(owner_page.locator(".moment")).to_contain_text("450,003 of 450,003 characters")
    expect(owner_page.locator(".moment .grown")).to_have_count(0)
    owner_page.get_by_role("button", name="Load this text").click()
    expect(owner_page.locator(".moment .grown")).to_contain_text("word end")
    press_key_of(owner_page, "timeline")
    for _ in range(2):
        owner_page.keyboard.press("ArrowLeft")
    expect(owner_page.locator(".moment .grown")).not_to_contain_text("end")


# -- the table ------------------------------------------------------------------------------------


def test_the_table_holds_what_the_drawing_shows(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    owner_page.get_by_role("link", name="Table", exact=True).click()
    grid = owner_page.get_by_role("grid", name="Events of the timeline")
    expect(grid).to_have_attribute("aria-rowcount", "64")
    expect(canvas(owner_page)).to_have_count(0)
    row = owner_page.locator("#row-of-event-1")
    expect(row).to_have_attribute("aria-rowindex", "3")
    cells = row.locator("[role=gridcell]").all_inner_texts()
    assert cells[:5] == ["#1", "chunk", "0.320 s", "20 ms", "1"]
    assert cells[7:] == ["choice 0 content 6", "word1 "]
    assert_accessible(owner_page)


def test_the_table_is_filtered(owner_page: Page, owner: Person) -> None:
    open_table(owner_page, stalled(owner))
    told = owner_page.locator(".table-filter output")
    expect(told).to_have_text("63 of 63 events")
    owner_page.get_by_role("searchbox", name="text").fill("LATE1")
    expect(told).to_have_text("2 of 63 events")
    expect(shown_rows(owner_page)).to_have_text(["#51", "#60"])
    owner_page.get_by_role("searchbox", name="text").fill("")
    owner_page.get_by_label("after a gap over, in ms").fill("90")
    expect(told).to_have_text("2 of 63 events")
    owner_page.get_by_label("kind").select_option("end-mark")
    expect(told).to_have_text("0 of 63 events")
    owner_page.get_by_label("after a gap over, in ms").fill("")
    expect(told).to_have_text("1 of 63 events")
    expect(shown_rows(owner_page)).to_have_text(["#62"])


@pytest.mark.thorough
def test_rows_are_copied_with_tabs_between(owner_page: Page, owner: Person) -> None:
    owner_page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    grid = open_table(owner_page, stalled(owner))
    expect(owner_page.locator("#row-of-event-0")).to_be_visible()
    grid.focus()
    for key in ("ArrowDown", "Shift+ArrowDown", "Control+c"):
        owner_page.keyboard.press(key)
    expect(owner_page.locator(".table-filter output")).to_have_text("2 rows copied")
    lines = owner_page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].split("\t")[:3] == ["event", "kind", "arrived_s"]
    assert [line.split("\t")[:5] for line in lines[1:]] == [
        ["1", "chunk", "0.32", "20", "1"], ["2", "chunk", "0.34", "20", "2"],
    ]  # fmt: skip
    owner_page.get_by_role("button", name="Copy all that match").click()
    expect(owner_page.locator(".table-filter output")).to_have_text("63 rows copied")


def test_keys_walk_through_the_table(owner_page: Page, owner: Person) -> None:
    grid = open_table(owner_page, stalled(owner))
    expect(owner_page.locator("#row-of-event-0")).to_be_visible()
    owner_page.evaluate(HEARD)
    grid.focus()
    for key, event in (
        ("ArrowDown", 1),
        ("PageDown", 19),
        ("ArrowUp", 18),
        ("End", 62),
        ("Home", 0),
    ):
        owner_page.keyboard.press(key)
        expect(grid).to_have_attribute("aria-activedescendant", f"row-of-event-{event}")
        expect(owner_page.locator(f"#row-of-event-{event}")).to_be_in_viewport()
    assert heard(owner_page)[-1] == [0, False]
    owner_page.keyboard.press("Enter")
    owner_page.wait_for_url("**#event-0")


def test_a_row_moves_the_scrubber_that_was_set(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    canvas(owner_page).focus()
    owner_page.keyboard.press("ArrowRight")
    owner_page.get_by_role("link", name="Table", exact=True).click()
    expect(owner_page.locator("#row-of-event-1")).to_have_class("event-row later")
    owner_page.locator("#row-of-event-2").click()
    expect(owner_page.locator("#row-of-event-1")).to_have_class("event-row")
    owner_page.get_by_role("link", name="Lanes", exact=True).click()
    expect(owner_page.locator(".player output")).to_contain_text("0.340 s of 3.400 s")


@pytest.mark.thorough
def test_a_long_stream_keeps_few_rows_on_the_page(owner_page: Page, owner: Person) -> None:
    words = "".join(chunk(delta(content=f"word{n} ")) for n in range(5_000))
    grid = open_table(owner_page, streamed(owner, (100_000, words), (200_000, DONE)))
    expect(grid).to_have_attribute("aria-rowcount", "5002")
    grid.focus()
    owner_page.keyboard.press("End")
    expect(owner_page.locator("#row-of-event-5000")).to_be_in_viewport()
    assert owner_page.locator(".event-row").count() < 60
