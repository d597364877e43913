"""The capture page with its drawing, in a real browser."""

import json
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from inspector.archive.intake.submission import Submission
from inspector.core.analysis import Verdict
from inspector.core.completion import Choice
from inspector.core.wire.exchange import Exchange, Read
from tests.archive.older import grow_old, read_everything_again
from tests.archive.samples import SSE, accept, accept_arrival, inspect_all, inspected
from tests.browser.watching import assert_accessible_and_fits, look, only_own_requests, press_key_of
from tests.dashboard.capture.samples import DONE, TWO_CHOICES, chunk, delta
from tests.dashboard.test_hostile import HOSTILE, everywhere
from tests.people import Person

RUNNABLE = [text for text in HOSTILE if "hurt" in text]


def streamed(person: Person, *reads: tuple[int, str]) -> UUID:
    exchange = Exchange.of_reads([Read(at, text.encode()) for at, text in reads], SSE)
    capture_id = accept_arrival(person, Submission(exchange)).id
    inspect_all()
    return capture_id


def stalled(person: Person) -> UUID:
    """Fifty events, a silence of two seconds, and eleven more that came together."""
    words = [(300_000 + 20_000 * n, chunk(delta(content=f"word{n} "))) for n in range(50)]
    late = "".join(chunk(delta(content=f"late{n} ")) for n in range(11))
    end = chunk(delta(finish_reason="stop")) + DONE
    return streamed(person, *words, (3_300_000, late), (3_400_000, end))


def moment(page: Page) -> str:
    return page.locator(".player output").inner_text()


def open_drawn(page: Page, capture_id: UUID) -> None:
    page.goto(f"/captures/{capture_id}/")
    page.locator("[data-drawn]").wait_for()


def test_at_the_top_of_a_short_page_the_first_panel_is_the_current_one(
    owner_page: Page, owner: Person
) -> None:
    capture_id = inspected(owner, b'{"error":{"message":"Slow down.","type":"rate_limit"}}')
    owner_page.goto(f"/captures/{capture_id}/")
    current = owner_page.locator(".rail [aria-current]")
    expect(current).to_have_attribute("data-key", "1")
    expect(current).to_contain_text("Raw")
    press_key_of(owner_page, "findings")
    expect(current).to_contain_text("Findings")
    expect(owner_page.locator("#choices")).to_be_hidden()
    press_key_of(owner_page, "choices")
    expect(owner_page.locator("#choices")).to_be_in_viewport()


def test_the_scrubber_moves_by_keys_and_shows_the_state(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    press_key_of(owner_page, "timeline")
    expect(owner_page.locator("#timeline")).to_be_focused()
    owner_page.keyboard.press("ArrowRight")
    assert moment(owner_page).startswith("0.300 s of 3.400 s")
    owner_page.keyboard.press("ArrowRight")
    expect(owner_page.locator(".moment")).to_contain_text("word0 word1")
    owner_page.keyboard.press("]")
    assert moment(owner_page).startswith("1.280 s")
    owner_page.keyboard.press("ArrowRight")
    assert "text 61 of 61" in moment(owner_page)
    owner_page.keyboard.press("ArrowLeft")
    assert "text 50 of 61" in moment(owner_page)


def test_a_click_in_the_drawing_is_a_moment(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    canvas = owner_page.locator("canvas")
    place = canvas.bounding_box()
    assert place
    owner_page.mouse.move(place["x"] + 400, place["y"] + 56)
    expect(owner_page.locator(".readout")).to_contain_text("choice 0 content")
    owner_page.mouse.click(place["x"] + 400, place["y"] + 56)
    expect(owner_page.locator(".moment")).to_contain_text("State at")
    value = int(canvas.get_attribute("aria-valuenow") or "")
    assert 0 < value < 3_400_000


def test_replay_ends_at_the_end(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    owner_page.get_by_role("button", name="16×").click()
    owner_page.get_by_role("button", name="Replay").click()
    expect(owner_page.locator(".player output")).to_contain_text("text 61 of 61")
    expect(owner_page.get_by_role("button", name="Replay")).to_be_visible()


def test_without_motion_replay_goes_from_chunk_to_chunk(owner_page: Page, owner: Person) -> None:
    owner_page.emulate_media(reduced_motion="reduce")
    open_drawn(owner_page, streamed(owner, *TWO_CHOICES))
    owner_page.get_by_role("button", name="16×").click()
    owner_page.get_by_role("button", name="Replay").click()
    expect(owner_page.locator(".player output")).to_contain_text("text 4 of 4")


def test_zooming_and_fitting_keep_the_drawing(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    for key in "+++-0":
        owner_page.keyboard.press(key)
    owner_page.get_by_role("button", name="Fit").click()
    expect(owner_page.locator("canvas")).to_be_visible()


def test_number_keys_jump_to_panels_and_the_rail_names_them_long_or_short(
    owner_page: Page, owner: Person
) -> None:
    open_drawn(owner_page, stalled(owner))
    press_key_of(owner_page, "raw")
    expect(owner_page.locator("#raw")).to_be_focused()
    expect(owner_page.locator('.rail a[aria-current="true"]')).to_contain_text("Raw")
    press_key_of(owner_page, "tool_calls")
    expect(owner_page.locator("#tool_calls")).to_be_focused()
    expect(owner_page.locator('.rail a[aria-current="true"]')).to_contain_text("Tool calls")


def test_the_numbers_of_the_rail_have_no_holes(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    expect(owner_page.locator(".rail li:visible kbd")).to_have_text(["1", "2", "3", "4", "5"])


def test_j_and_k_open_the_neighbours(owner_page: Page, owner: Person) -> None:
    older, newer = inspected(owner), inspected(owner)
    owner_page.goto(f"/captures/{newer}/")
    owner_page.keyboard.press("j")
    owner_page.wait_for_url(f"**/captures/{older}/")
    owner_page.keyboard.press("k")
    owner_page.wait_for_url(f"**/captures/{newer}/")


def test_a_run_of_lines_opens_in_place(owner_page: Page, owner: Person) -> None:
    open_drawn(owner_page, stalled(owner))
    rows = owner_page.locator("#raw tbody tr")
    before, runs = rows.count(), owner_page.locator("#raw .run")
    closed = runs.count()
    runs.locator("a").first.click()
    expect(runs).to_have_count(closed - 1)
    assert rows.count() > before


def test_a_waiting_capture_draws_itself_when_it_is_inspected(
    owner_page: Page, owner: Person
) -> None:
    capture_id = accept(owner)
    owner_page.goto(f"/captures/{capture_id}/")
    expect(owner_page.locator("h1")).to_contain_text("Waiting.")
    expect(owner_page.locator(".nothing-in > summary")).to_contain_text("Not analysed yet: Prompt")
    inspect_all()
    expect(owner_page.locator("h1")).to_contain_text("Answered.")
    expect(owner_page.locator("#choices .answer")).to_be_visible()
    expect(owner_page.locator(".rail [aria-current]")).to_contain_text("Choices")
    expect(owner_page.locator("#usage")).to_be_visible()
    expect(owner_page.locator(".nothing-in > summary")).not_to_contain_text("Choices")
    expect(owner_page.locator("#findings")).to_have_count(1)


def assert_harmless(page: Page, base_url: str, *ids: UUID) -> None:
    with only_own_requests(page, base_url):
        for path in ("/t/default/captures/", *(f"/captures/{capture_id}/" for capture_id in ids)):
            look(page, path)
            assert page.evaluate("window.hurt") is None, path


def test_what_a_model_wrote_does_nothing(owner_page: Page, owner: Person, live_server: Any) -> None:
    """Every text in a choice of its own, and as every word of a row of the archive."""
    bodies = [everywhere(text) for text in RUNNABLE]
    for body in bodies:
        inspected(owner, json.dumps(body).encode())
    choices = [
        {**choice, "index": index}
        for index, body in enumerate(bodies)
        for choice in body["choices"]
    ]
    whole = {**everywhere(" ".join(RUNNABLE)), "choices": choices}
    wire = "".join(
        chunk(delta(index, content=text)) + chunk(delta(index, text))
        for index, text in enumerate(RUNNABLE)
    )
    ids = inspected(owner, json.dumps(whole).encode()), streamed(owner, (1000, wire + DONE))
    assert_harmless(owner_page, live_server.url, *ids)


@pytest.mark.thorough
@pytest.mark.parametrize("text", RUNNABLE, ids=range(len(RUNNABLE)))
def test_each_text_that_a_model_wrote_does_nothing_alone(
    owner_page: Page, owner: Person, live_server: Any, text: str
) -> None:
    body = json.dumps(everywhere(text)).encode()
    wire = chunk(delta(0, content=text)) + chunk(delta(0, text)) + DONE
    ids = inspected(owner, body), streamed(owner, (1000, wire))
    assert_harmless(owner_page, live_server.url, *ids)


@pytest.mark.thorough
@pytest.mark.timeout(600)
def test_the_capture_page_is_accessible_fits_and_keeps_to_itself(
    owner_page: Page, owner: Person, live_server: Any
) -> None:
    body = {
        "object": "chat.completion",
        "model": "m",
        "choices": [
            {"index": 0, "finish_reason": "stop", "message": {
                "content": None, "refusal": "No.", "reasoning_content": "Hm.",
                "tool_calls": [{"index": 0, "id": "c", "function": {
                    "name": "f", "arguments": '{"a": oops}'}}]},
             "logprobs": {"content": [{"token": "a", "logprob": -0.1, "top_logprobs": []}]}},
            {"index": 1, "finish_reason": "length", "message": {"content": "x" * 5_000},
             "feedback_token": "fb", "cost_usd": 0.1},
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 3, "total_tokens": 9,
                  "prompt_tokens_details": {"cached_tokens": 2}},
        "extra": {"x": 1},
    }  # fmt: skip
    ids = stalled(owner), inspected(owner, json.dumps(body).encode()), inspected(owner, b"{]")
    with only_own_requests(owner_page, live_server.url):
        for path in (*(f"/captures/{capture_id}/" for capture_id in ids), f"/captures/{ids[0]}/?timeline=table&raw=all",
                     f"/captures/{ids[0]}/lines/"):  # fmt: skip
            look(owner_page, path)
            assert_accessible_and_fits(owner_page)


@pytest.mark.thorough
def test_what_changed_by_reading_again_is_told_calmly(owner_page: Page, owner: Person) -> None:
    capture_id = stalled(owner)
    grow_old(
        capture_id,
        verdict=Verdict.MISSING_FINISH,
        dialect="openai-text",
        model="m" * 300,
        choices=(Choice(index=0, content="word0 other", finish_reason="length", role="user"),),
        findings=(),
    )
    read_everything_again()
    owner_page.goto(f"/captures/{capture_id}/")
    told = owner_page.get_by_role("complementary", name="Analysed again")
    expect(told).to_contain_text("verdict missing-finish → complete; dialect openai-text →")
    told.get_by_text("more").click()
    expect(told).to_contain_text("content of choice 0 differs from character 7 on")
    assert_accessible_and_fits(owner_page)


def test_the_button_that_deletes_has_room_around_its_words(owner_page: Page, owner: Person) -> None:
    owner_page.goto(f"/captures/{inspected(owner)}/")
    owner_page.locator(".dots > summary").first.click()
    owner_page.locator("#delete > summary").click()
    button = owner_page.get_by_role("button", name="Delete for good")
    assert button.evaluate("(each) => parseFloat(getComputedStyle(each).paddingLeft)") >= 6
