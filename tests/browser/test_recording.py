"""The page of a response while it is recorded, at its end, and a list that is followed."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from django.conf import LazySettings
from playwright.sync_api import Page, Route, expect

from inspector.archive.intake.recording import Recording, append, finish
from inspector.core.wire.exchange import Read
from tests.archive.calls import FIRST, begun, call, ending, segment
from tests.archive.samples import SSE, STREAM, accept, inspect_all
from tests.browser.live_stream import LiveStream, served
from tests.browser.watching import assert_accessible, assert_fits, sign_in
from tests.dashboard.capture.samples import DONE, chunk, delta
from tests.people import Person

ARCHIVE = "/t/default/captures/"
SECOND = 1_000_000
HELLO = chunk(delta(0, role="assistant")) + chunk(delta(0, content="Ship from "))
MORE = chunk(delta(0, content="Rotterdam."))
END = chunk(delta(0, "stop")) + DONE


@pytest.fixture
def stream() -> LiveStream:
    return LiveStream()


@pytest.fixture
def recorded(owner: Person, live_server: object) -> Recording:
    one = call(owner)
    begun(one)
    return one


@pytest.fixture
def watched(
    page: Page,
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
    recorded: Recording,
    stream: LiveStream,
    settings: LazySettings,
) -> Iterator[Page]:
    """The page of a recording with a live stream of which nothing has come."""
    sign_in(page, owner, live_server.url)
    with served(stream) as origin:
        settings.PROXY_ORIGIN = origin
        page.goto(f"/captures/{recorded.id}/")
        yield page
        page.goto("about:blank")


def ended(recorded: Recording) -> None:
    reads = (Read(SECOND, HELLO.encode()), Read(2 * SECOND, (MORE + END).encode()))
    finish([ending(recorded, reads=reads, ended_at_us=2 * SECOND)])
    inspect_all()


def test_an_answer_grows_and_the_finished_page_takes_its_place(
    watched: Page, stream: LiveStream, recorded: Recording
) -> None:
    verdict, written = watched.locator("h1"), watched.locator("#written")
    expect(verdict).to_contain_text("In progress. Waiting for the first byte.")
    stream.comes(SECOND, HELLO)
    expect(written).to_contain_text("Ship from")
    expect(verdict).to_contain_text("Writing text, block 0.")
    expect(watched.locator("[data-figure=model] a")).to_have_text("some-model")
    expect(watched.locator("[data-figure=first] a")).to_have_text("1.000 s")
    expect(watched.locator("#timeline canvas")).to_be_visible()
    expect(watched.locator("#timeline-facts")).to_contain_text("2 events in 1 read")
    stream.comes(2 * SECOND, MORE)
    expect(written).to_contain_text("Ship from Rotterdam.")
    watched.evaluate("window.isTheSame = true")
    ended(recorded)
    stream.ends()
    expect(verdict).to_contain_text("Complete.")
    expect(watched.locator("#choices .answer")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#timeline")).to_contain_text("Replay")
    expect(watched.locator("#live")).to_have_count(0)
    assert watched.evaluate("window.isTheSame") is True
    expect(watched.locator("#live-announced")).to_contain_text("Complete.")
    expect(watched.locator("#trace")).to_have_attribute(
        "data-timeline", f"/captures/{recorded.id}/timeline.json"
    )


def test_a_place_of_the_timeline_that_is_pointed_at_holds_the_page(
    watched: Page, stream: LiveStream
) -> None:
    stream.comes(SECOND, HELLO)
    stream.comes(2 * SECOND, MORE)
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    watched.locator("#timeline canvas").focus()
    watched.keyboard.press("Home")
    expect(watched.locator("#held")).to_be_visible()
    expect(watched.locator(".moment")).to_contain_text("State at 0.000 s")
    watched.keyboard.press("ArrowRight")
    expect(watched.locator(".moment .text")).to_have_text("Ship from ")
    watched.keyboard.press("f")
    expect(watched.locator(".moment")).to_be_hidden()


def test_a_silence_counts_up_and_ends_with_the_next_bytes(
    watched: Page, stream: LiveStream
) -> None:
    verdict, silence = watched.locator("h1"), watched.locator(".silence")
    stream.comes(SECOND, HELLO, now_us=3_400_000)
    expect(verdict).to_contain_text("Silent for ")
    expect(silence).to_contain_text("last bytes at 1.000 s, event #1")
    expect(watched.locator("#timeline-facts")).to_contain_text("now silent for")
    stream.comes(9 * SECOND, MORE)
    expect(verdict).not_to_contain_text("Silent")
    expect(silence).to_be_hidden()
    stream.passes(15 * SECOND)
    expect(verdict).to_contain_text("Silent for ")


def test_a_page_that_is_paused_stands_still_until_somebody_follows_again(
    watched: Page, stream: LiveStream, recorded: Recording
) -> None:
    stream.comes(SECOND, HELLO)
    written = watched.locator("#written .text")
    expect(written).to_have_text("Ship from ")
    watched.keyboard.press("Space")
    expect(watched.locator("[data-follow=pause]")).to_have_attribute("aria-pressed", "true")
    stream.comes(2 * SECOND, MORE)
    expect(watched.locator("#held-words")).to_contain_text("1 more event came.")
    expect(written).to_have_text("Ship from ")
    watched.keyboard.press("f")
    expect(written).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#held")).to_be_hidden()
    watched.keyboard.press("Space")
    ended(recorded)
    stream.ends()
    expect(watched.locator("#held-words")).to_contain_text("The recording has ended.")
    expect(watched.locator("h1")).to_contain_text("In progress.")
    watched.locator("#held button").click()
    expect(watched.locator("h1")).to_contain_text("Complete.")


def test_a_page_that_is_paused_shows_one_moment_everywhere(
    watched: Page, stream: LiveStream
) -> None:
    # Then drawings follow once a second, and texts at once.
    watched.emulate_media(reduced_motion="reduce")
    stream.comes(SECOND, HELLO)
    expect(watched.locator("#written .text")).to_have_text("Ship from ")
    watched.evaluate(
        """() => {
          const observer = new MutationObserver(() => {
            observer.disconnect();
            document.dispatchEvent(new KeyboardEvent("keydown", { key: " " }));
          });
          observer.observe(document.querySelector("#written .text"),
            { subtree: true, childList: true, characterData: true });
        }"""
    )
    stream.comes(2 * SECOND, MORE)
    expect(watched.locator("[data-follow=pause]")).to_have_attribute("aria-pressed", "true")
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#timeline-facts")).to_contain_text("3 events in 2 reads")


def test_a_state_that_was_asked_for_before_a_pause_is_not_shown_in_it(
    watched: Page, stream: LiveStream, recorded: Recording
) -> None:
    stream.comes(SECOND, HELLO)
    expect(watched.locator("#written .text")).to_have_text("Ship from ")
    asked: list[Route] = []
    watched.route("**/state/**", lambda route: asked.append(route))
    with watched.expect_request("**/state/**"):
        pass
    watched.keyboard.press("Space")
    ended(recorded)
    watched.evaluate(
        "() => { window.heard = new Promise((heard) =>"
        " document.addEventListener('htmx:afterRequest', () => heard(), { once: true })) }"
    )
    asked[0].continue_()
    watched.evaluate("() => window.heard")
    expect(watched.locator("h1")).to_contain_text("In progress.")
    watched.unroute("**/state/**")
    stream.ends()
    watched.locator("#held button").click()
    expect(watched.locator("h1")).to_contain_text("Complete.")


def test_a_stream_that_breaks_off_goes_on_with_the_whole(watched: Page, stream: LiveStream) -> None:
    stream.comes(SECOND, HELLO)
    expect(watched.locator("#written")).to_contain_text("Ship from")
    stream.breaks()
    stream.reading.feed(Read(2 * SECOND, MORE.encode()))
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#live-state")).to_be_hidden()
    assert stream.connections == 2


def test_scrolling_up_pauses_and_scrolling_down_does_not(watched: Page, stream: LiveStream) -> None:
    watched.set_viewport_size({"width": 1280, "height": 500})
    stream.comes(SECOND, HELLO + chunk(delta(0, content="line\n" * 60)))
    watched.wait_for_function("() => window.scrollY > 300")
    expect(watched.locator("#held")).to_be_hidden()
    watched.mouse.move(600, 300)
    watched.mouse.wheel(0, -200)
    expect(watched.locator("#held")).to_be_visible()


def test_without_a_live_stream_the_page_says_so_and_asks(
    page: Page,
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
    settings: LazySettings,
) -> None:
    settings.PROXY_ORIGIN = ""
    sign_in(page, owner, live_server.url)
    one = call(owner)
    lease = begun(one)
    page.goto(f"/captures/{one.id}/")
    expect(page.locator("#live-state")).to_contain_text("There is no live stream")
    append([segment(lease, 0, FIRST)])
    expect(page.locator("h1")).to_contain_text("100 B so far")
    expect(page.locator("[data-figure=size] a")).to_have_text("100 B")
    ended(one)
    expect(page.locator("h1")).to_contain_text("Complete.")


@pytest.mark.thorough
def test_it_is_accessible_and_fits_while_it_grows(watched: Page, stream: LiveStream) -> None:
    stream.comes(SECOND, HELLO, now_us=4 * SECOND)
    expect(watched.locator("h1")).to_contain_text("Silent for")
    assert_accessible(watched)
    assert_fits(watched, 1440, 1024, 390)


def test_a_list_that_is_followed_takes_new_rows_until_it_is_paused(
    page: Page,
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
) -> None:
    sign_in(page, owner, live_server.url)
    stored(owner)
    page.goto(f"{ARCHIVE}?tail=1&dialect=openai-chat")
    rows, more = page.locator("#rows tr"), page.locator("#tail-more")
    expect(rows).to_have_count(1)
    stored(owner)
    expect(rows).to_have_count(2)
    page.keyboard.press("Space")
    expect(page.locator("[data-tail=pause]")).to_have_attribute("aria-pressed", "true")
    newest = stored(owner)
    expect(more).to_have_text("1 more")
    expect(rows).to_have_count(2)
    more.click()
    expect(rows).to_have_count(3)
    expect(rows.first).to_have_id(f"row-{newest}")
    expect(more).to_be_hidden()
    page.get_by_role("link", name="Stop following").click()
    expect(page.locator("[data-tail]")).to_have_count(0)
    assert "dialect:openai-chat" in page.url and "tail" not in page.url


def stored(person: Person) -> UUID:
    capture_id = accept(person, STREAM, SSE)
    inspect_all()
    return capture_id


def test_a_running_row_says_what_is_known_of_it(
    page: Page,
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
) -> None:
    sign_in(page, owner, live_server.url)
    one = call(owner)
    lease = begun(one)
    page.goto(f"{ARCHIVE}?state=recording&tail=1")
    row = page.locator(f"#row-{one.id}")
    expect(row).to_contain_text("recording")
    expect(row).to_contain_text("gpt-4o")
    append([segment(lease, 0, FIRST)])
    expect(row).to_contain_text("100 B so far")
    expect(row.locator(".shape")).to_have_count(1)
    ended(one)
    expect(row).to_contain_text("complete")
