"""Characters that are selected lead to their chunks, times and bytes, and an event to its characters."""

import json
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.archive.samples import inspected
from tests.browser.test_capture import streamed
from tests.browser.watching import assert_accessible
from tests.dashboard.capture.samples import DONE, SSE, TWO_CHOICES, call, chunk, delta
from tests.people import Person

SELECT = """([element, start, end]) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const places = [];
    for (const wanted of [start, end]) {
        let at = 0;
        walker.currentNode = element;
        while (walker.nextNode()) {
            const { length } = walker.currentNode;
            if (walker.currentNode.parentElement.closest("[data-uncopied]")) continue;
            if (wanted - at < length || (wanted === end && wanted - at === length)) break;
            at += length;
        }
        places.push(walker.currentNode, wanted - at);
    }
    document.getSelection().setBaseAndExtent(...places);
}"""
"""Selects as a pointer does: so many characters of what the page shows."""

LIT = """(name) => [...(CSS.highlights.get(name) ?? [])]
    .filter((range) => range.startContainer.parentElement.closest("[data-lane], td.t"))
    .map((range) => range.toString())"""
"""Passages lit in texts and in the bytes as text, without the hexadecimal beside them."""


def text(page: Page, lane: int = 0) -> Locator:
    return page.locator(f".choice [data-lane='{lane}'], .args-text[data-lane='{lane}']")


def strip(page: Page) -> Locator:
    return page.locator("#trace")


def select(page: Page, start: int, end: int, lane: int = 0) -> None:
    page.evaluate(SELECT, [text(page, lane).element_handle(), start, end])


def lit(page: Page, name: str = "traced") -> list[str]:
    found: list[str] = page.evaluate(LIT, name)
    return found


def wait_for_lit(page: Page, name: str, due: list[str]) -> None:
    page.wait_for_function(
        f"([name, due]) => JSON.stringify(({LIT})(name)) === due",
        arg=[name, json.dumps(due, separators=(",", ":"), ensure_ascii=False)],
    )


def opened(page: Page, capture_id: UUID, place: str = "") -> None:
    page.goto(f"/captures/{capture_id}/{place}")
    page.wait_for_function("() => document.querySelector('#trace-status') && window.htmx")


WORDS = ("Ship ", "it ", "from ", "Rotterdam ", "today.")


def shipped(owner: Person) -> UUID:
    """A chunk each 100 ms, from 0.3 s on; the first is event 0."""
    reads = [(300_000 + 100_000 * n, chunk(delta(content=word))) for n, word in enumerate(WORDS)]
    return streamed(owner, *reads, (900_000, chunk(delta(finish_reason="stop")) + DONE))


def test_a_selection_over_three_chunks_is_told_and_lit(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner))
    select(owner_page, 5, 23)
    expect(strip(owner_page)).to_contain_text("events #1 #2 #3")
    expect(strip(owner_page)).to_contain_text("Selected it from Rotterdam")
    expect(strip(owner_page)).to_contain_text("choice 0, content")
    expect(strip(owner_page)).to_contain_text("characters 5 to 22")
    expect(strip(owner_page)).to_contain_text("reads 1 to 3")
    expect(strip(owner_page)).to_contain_text("0.400 to 0.600 s")
    wait_for_lit(owner_page, "traced", ["it from Rotterdam "])
    # A hairline where the second and the third chunk begin.
    expect(text(owner_page).locator(".chunk-edges i")).to_have_count(2)
    wait_for_lit(owner_page, "traced-bytes", ["it ", "from ", "Rotterdam "])
    expect(owner_page.locator("#raw tr.lit-row td.t")).to_have_count(3)
    assert_accessible(owner_page)


def test_half_a_chunk_lights_only_its_characters_and_bytes(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner))
    select(owner_page, 13, 18)
    expect(strip(owner_page)).to_contain_text("event #3")
    wait_for_lit(owner_page, "traced", ["Rotte"])
    wait_for_lit(owner_page, "trace-rest", ["rdam "])
    wait_for_lit(owner_page, "traced-bytes", ["Rotte"])


def test_an_emoji_and_escapes_keep_their_places(owner_page: Page, owner: Person) -> None:
    texts = ["a\u202e", "\U0001f600\r\n", '"z']
    body = "".join(chunk(delta(content=each)) for each in texts) + DONE
    opened(owner_page, inspected(owner, body.encode(), content_type=SSE))
    owner_page.evaluate(
        "(element) => document.getSelection().selectAllChildren(element)",
        text(owner_page).element_handle(),
    )
    expect(strip(owner_page)).to_contain_text("characters 0 to 6")
    wait_for_lit(owner_page, "traced-bytes", ["a\\u202e", "\\ud83d\\ude00\\r\\n", '\\"z'])
    owner_page.keyboard.press("Escape")
    # "a", the name of U+202E, then two units of the emoji.
    owner_page.evaluate(SELECT, [text(owner_page).element_handle(), 6, 8])
    expect(strip(owner_page)).to_contain_text("character 2")
    wait_for_lit(owner_page, "traced-bytes", ["\\ud83d\\ude00"])
    expect(strip(owner_page)).to_contain_text("no times")


def test_arguments_of_a_call_are_traced(owner_page: Page, owner: Person) -> None:
    parts = [call('{"to":', name="ship"), call(' "Basel"}')]
    body = "".join(chunk(delta(**part)) for part in parts) + DONE
    opened(owner_page, inspected(owner, body.encode(), content_type=SSE))
    select(owner_page, 1, 9)
    expect(strip(owner_page)).to_contain_text("choice 0, arguments of ship")
    expect(strip(owner_page)).to_contain_text("events #0 #1")
    wait_for_lit(owner_page, "traced-bytes", ['\\"to\\":', ' \\"B'])


def test_reasoning_is_traced(owner_page: Page, owner: Person) -> None:
    parts = [
        delta(reasoning_content="Which "),
        delta(reasoning_content="port?"),
        delta(content="Both"),
    ]
    body = "".join(map(chunk, parts)) + DONE
    opened(owner_page, inspected(owner, body.encode(), content_type=SSE))
    owner_page.locator("details.think summary").click()
    select(owner_page, 6, 10)
    expect(strip(owner_page)).to_contain_text("choice 0, reasoning")
    wait_for_lit(owner_page, "traced-bytes", ["port"])


@pytest.mark.thorough
def test_of_several_choices_one_that_is_selected_is_told(owner_page: Page, owner: Person) -> None:
    opened(owner_page, streamed(owner, *TWO_CHOICES))
    select(owner_page, 10, 17, lane=1)
    expect(strip(owner_page)).to_contain_text("choice 1, content")
    expect(strip(owner_page)).to_contain_text("event #6")
    wait_for_lit(owner_page, "traced", ["Leipzig"])


@pytest.mark.thorough
def test_a_whole_body_has_bytes(owner_page: Page, owner: Person) -> None:
    message = {"role": "assistant", "content": "Ship it"}
    body = {"object": "chat.completion", "choices": [{"index": 0, "message": message}]}
    opened(owner_page, inspected(owner, json.dumps(body).encode()))
    select(owner_page, 5, 7)
    expect(strip(owner_page)).to_contain_text("one body, no events")
    wait_for_lit(owner_page, "traced-bytes", ["it"])


def test_event_that_is_pointed_at_lights_its_characters(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner))
    owner_page.locator("#raw tr[data-event='3'] td.t").hover()
    wait_for_lit(owner_page, "pointed", ["Rotterdam "])
    owner_page.locator("#event-1").get_by_role("link", name="#1").focus()
    wait_for_lit(owner_page, "pointed", ["it "])
    owner_page.evaluate(
        "document.dispatchEvent(new CustomEvent('pointed', {detail: {event: 4, pinned: true}}))"
    )
    wait_for_lit(owner_page, "pointed", ["today."])
    owner_page.evaluate(
        "document.dispatchEvent(new CustomEvent('pointed', {detail: {event: null, pinned: true}}))"
    )
    wait_for_lit(owner_page, "pointed", [])


@pytest.mark.thorough
def test_the_timeline_is_told_what_is_lit_and_when_nothing_is(
    owner_page: Page, owner: Person
) -> None:
    opened(owner_page, streamed(owner, *TWO_CHOICES))
    owner_page.evaluate(
        "document.addEventListener('lit', ({ detail }) => { window.told = detail; })"
    )
    select(owner_page, 2, 15)
    owner_page.wait_for_function("() => window.told")
    assert owner_page.evaluate("window.told") == {
        "events": [[3, 3], [5, 5]], "lane": 0, "start": 2, "end": 15,
    }  # fmt: skip
    owner_page.keyboard.press("Escape")
    owner_page.wait_for_function("() => window.told === null")


@pytest.mark.thorough
def test_escape_clears_all_of_it(owner_page: Page, owner: Person) -> None:
    capture_id = shipped(owner)
    opened(owner_page, capture_id)
    select(owner_page, 5, 23)
    owner_page.wait_for_url("**/#text-0-5-23")
    expect(owner_page.locator("#raw tr.lit-row")).to_have_count(3)
    owner_page.keyboard.press("Escape")
    expect(strip(owner_page)).to_be_hidden()
    owner_page.wait_for_url(f"**/captures/{capture_id}/")
    assert lit(owner_page) == lit(owner_page, "traced-bytes") == []
    assert owner_page.locator(".lit-row, .chunk-edges").count() == 0


def test_an_address_restores_the_selection(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner), "?choices=markdown#text-0-5-23")
    wait_for_lit(owner_page, "traced", ["it from Rotterdam "])
    expect(strip(owner_page)).to_contain_text("events #1 #2 #3")
    expect(text(owner_page)).to_be_in_viewport()
    owner_page.wait_for_url(lambda url: "choices=" not in url and url.endswith("#text-0-5-23"))


@pytest.mark.thorough
def test_an_address_opens_what_is_folded(owner_page: Page, owner: Person) -> None:
    long = "".join(chunk(delta(content=f"word{n:04} ")) for n in range(600))
    capture_id = inspected(owner, (long + DONE).encode(), content_type=SSE)
    opened(owner_page, capture_id, "#text-0-4500-4509")
    wait_for_lit(owner_page, "traced", ["word0500 "])
    expect(strip(owner_page)).to_contain_text("event #500")
    expect(owner_page.locator("details.more")).to_have_attribute("open", "")


@pytest.mark.thorough
def test_an_address_of_characters_that_are_not_there_says_so(
    owner_page: Page, owner: Person
) -> None:
    opened(owner_page, shipped(owner), "#text-0-5-2300")
    expect(strip(owner_page)).to_contain_text("5 to 2,300 is no part of content of choice 0")
    assert lit(owner_page) == []


def test_keys_select_chunk_by_chunk_and_by_character(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner))
    text(owner_page).focus()
    owner_page.keyboard.press("ArrowRight")
    wait_for_lit(owner_page, "traced", ["Ship "])
    owner_page.keyboard.press("ArrowRight")
    wait_for_lit(owner_page, "traced", ["it "])
    owner_page.keyboard.press("Shift+ArrowRight")
    wait_for_lit(owner_page, "traced", ["it f"])
    owner_page.keyboard.press("ArrowLeft")
    wait_for_lit(owner_page, "traced", ["Ship "])
    expect(owner_page.locator("#trace-status")).to_contain_text("event #0")


def test_jumps_lead_to_timeline_and_bytes(owner_page: Page, owner: Person) -> None:
    opened(owner_page, shipped(owner))
    select(owner_page, 13, 18)
    expect(strip(owner_page)).to_contain_text("event #3")
    owner_page.keyboard.press("b")
    expect(owner_page.locator("#event-3")).to_be_focused()
    owner_page.keyboard.press("t")
    expect(owner_page.locator("#timeline canvas")).to_be_focused()
    # Neither changes the address of the selection.
    assert owner_page.url.endswith("#text-0-13-18")


@pytest.mark.thorough
@pytest.mark.parametrize(("mode", "view"), [("markdown", "Markdown"), ("diff", "word diff")])
def test_other_views_say_that_they_cannot_be_traced(
    mode: str, view: str, owner_page: Page, owner: Person
) -> None:
    opened(owner_page, streamed(owner, *TWO_CHOICES), f"?choices={mode}")
    owner_page.evaluate(
        "document.getSelection().selectAllChildren(document.querySelector('[data-untraced]'))"
    )
    expect(strip(owner_page)).to_contain_text(f"the {view} view has others")
    assert lit(owner_page) == []
    strip(owner_page).get_by_role("link", name="Show as text").click()
    expect(text(owner_page)).to_be_visible()


@pytest.mark.thorough
def test_the_strip_fits_a_narrow_window(owner_page: Page, owner: Person) -> None:
    owner_page.set_viewport_size({"width": 390, "height": 844})
    opened(owner_page, shipped(owner))
    select(owner_page, 5, 23)
    expect(strip(owner_page)).to_contain_text("events #1 #2 #3")
    expect(strip(owner_page)).to_be_in_viewport()
    assert owner_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.thorough
def test_thousands_of_chunks_are_told_by_first_and_last(owner_page: Page, owner: Person) -> None:
    body = "".join(chunk(delta(content="x")) for _ in range(3_000)) + DONE
    opened(owner_page, inspected(owner, body.encode(), content_type=SSE))
    owner_page.evaluate(
        "(element) => document.getSelection().selectAllChildren(element)",
        text(owner_page).element_handle(),
    )
    expect(strip(owner_page)).to_contain_text("3,000 events, #0 to #2999")
    expect(strip(owner_page)).to_contain_text("characters 0 to 2,999")
    expect(owner_page.locator("#raw tr.run.lit-row")).to_have_count(1)
