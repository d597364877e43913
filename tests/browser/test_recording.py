"""The page of a response while it is recorded, at its end, and a list that is followed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from playwright.sync_api import Page, Route, expect

from inspector.archive import live_reading
from inspector.archive.intake.recording import Recording, RecordingLease, append, finish
from inspector.archive.models import Capture
from inspector.core.wire.exchange import Read
from tests.archive.calls import FIRST, begun, call, ending, segment
from tests.archive.samples import SSE, STREAM, accept, inspect_all
from tests.browser.watching import assert_accessible, assert_fits, sign_in
from tests.dashboard.capture.samples import DONE, chunk, delta
from tests.dashboard.capture.samples import call as tool_call
from tests.people import Person

ARCHIVE = "/t/default/captures/"
SECOND = 1_000_000
HELLO = chunk(delta(0, role="assistant")) + chunk(delta(0, content="Ship from "))
MORE = chunk(delta(0, content="Rotterdam."))
END = chunk(delta(0, "stop")) + DONE


@dataclass
class RunningCall:
    """A call that the proxy records; what comes is stored at once."""

    recording: Recording
    lease: RecordingLease
    reads: list[Read] = field(default_factory=list)

    @property
    def id(self) -> UUID:
        return self.recording.id

    def comes(self, at_us: int, text: str) -> None:
        self.reads.append(Read(at_us, text.encode()))
        append([segment(self.lease, len(self.reads) - 1, self.reads[-1])])

    def began(self, seconds_ago: float) -> None:
        """The request was sent so long ago."""
        began = datetime.now(UTC) - timedelta(seconds=seconds_ago)
        Capture.objects.filter(pk=self.id).update(started_at=began)

    def ends(self) -> None:
        reads = (*self.reads, Read(2 * SECOND, END.encode()))
        finish([ending(self.recording, reads=reads, ended_at_us=2 * SECOND)])
        inspect_all()


@pytest.fixture
def running(owner: Person, live_server: object) -> RunningCall:
    one = replace(call(owner), started_at=datetime.now(UTC))
    return RunningCall(one, begun(one))


@pytest.fixture
def watched(
    page: Page,
    owner: Person,
    live_server,  # type: ignore[no-untyped-def]
    running: RunningCall,
) -> Iterator[Page]:
    """The page of a recording of which nothing has come."""
    sign_in(page, owner, live_server.url)
    page.goto(f"/captures/{running.id}/")
    yield page
    page.goto("about:blank")


def test_an_answer_grows_and_the_finished_page_takes_its_place(
    watched: Page, running: RunningCall
) -> None:
    verdict, written = watched.locator("h1"), watched.locator("#written")
    expect(verdict).to_contain_text("In progress. Waiting for the first byte.")
    running.comes(SECOND, HELLO)
    expect(written).to_contain_text("Ship from")
    expect(verdict).to_contain_text("Writing text, block 0.")
    expect(watched.locator("[data-figure=model] a")).to_have_text("some-model")
    expect(watched.locator("[data-figure=first] a")).to_have_text("1.00 s")
    expect(watched.locator("#timeline canvas")).to_be_visible()
    expect(watched.locator("#timeline-facts")).to_contain_text("2 events in 1 read")
    running.comes(2 * SECOND, MORE)
    expect(written).to_contain_text("Ship from Rotterdam.")
    watched.evaluate("window.isTheSame = true")
    running.ends()
    expect(verdict).to_contain_text("Answered.")
    expect(watched.locator("#choices .answer")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#timeline")).to_contain_text("Replay")
    expect(watched.locator("#live")).to_have_count(0)
    assert watched.evaluate("window.isTheSame") is True
    expect(watched).to_have_title(re.compile("^Answered. 20 characters in 2.00 s · capture"))
    expect(watched.locator("#live-announced")).to_contain_text("Answered.")
    expect(watched.locator("#trace")).to_have_attribute(
        "data-timeline", f"/captures/{running.id}/timeline.json"
    )


def test_the_title_says_what_the_headline_says_when_the_reading_is_awaited(
    watched: Page, running: RunningCall
) -> None:
    running.comes(SECOND, HELLO)
    expect(watched.locator("#written")).to_contain_text("Ship from")
    expect(watched).to_have_title(re.compile("^In progress · capture"))
    finish([ending(running.recording, reads=running.reads, ended_at_us=2 * SECOND)])
    expect(watched).to_have_title(re.compile("^Waiting"))
    # What grew is drawn at least once more.
    watched.evaluate("new Promise(requestAnimationFrame)")
    expect(watched.locator("h1")).to_contain_text("Waiting.")


def test_arguments_that_grow_break_no_policy(watched: Page, running: RunningCall) -> None:
    written = watched.locator("#written")
    running.comes(SECOND, HELLO)
    expect(written).to_contain_text("Ship from")
    for number, piece in enumerate(('{"order"', ":48213", "}"), start=2):
        running.comes(number * SECOND, chunk(delta(0, **tool_call(piece, name="book"))))
        expect(written).to_contain_text(piece)


def test_a_place_of_the_timeline_that_is_pointed_at_holds_the_page(
    watched: Page, running: RunningCall
) -> None:
    running.comes(SECOND, HELLO)
    running.comes(2 * SECOND, MORE)
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    watched.locator("#timeline canvas").focus()
    watched.keyboard.press("Home")
    expect(watched.locator("#held")).to_be_visible()
    expect(watched.locator(".moment")).to_contain_text("State at 0.000 s")
    watched.keyboard.press("ArrowRight")
    expect(watched.locator(".moment .text")).to_have_text("Ship from ")
    watched.keyboard.press("f")
    expect(watched.locator(".moment")).to_be_hidden()


def test_silence_counts_up_and_ends_with_next_bytes(watched: Page, running: RunningCall) -> None:
    verdict, silence = watched.locator("h1"), watched.locator(".silence")
    running.began(seconds_ago=60)
    running.comes(SECOND, HELLO)
    expect(verdict).to_contain_text("Silent for ")
    expect(silence).to_contain_text("last bytes at 1.000 s, event #1")
    expect(watched.locator("#timeline-facts")).to_contain_text("now silent for")
    # Later than now: nothing has been silent since.
    running.comes(10_000 * SECOND, MORE)
    expect(verdict).not_to_contain_text("Silent")
    expect(silence).to_be_hidden()


def test_a_page_that_is_paused_stands_still_until_somebody_follows_again(
    watched: Page, running: RunningCall
) -> None:
    running.comes(SECOND, HELLO)
    written = watched.locator("#written .text")
    expect(written).to_have_text("Ship from ")
    watched.keyboard.press("Space")
    expect(watched.locator("[data-follow=pause]")).to_have_attribute("aria-pressed", "true")
    running.comes(2 * SECOND, MORE)
    expect(watched.locator("#held-words")).to_contain_text("1 more event came.")
    expect(written).to_have_text("Ship from ")
    watched.keyboard.press("f")
    expect(written).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#held")).to_be_hidden()
    watched.keyboard.press("Space")
    running.ends()
    expect(watched.locator("#held-words")).to_contain_text("The recording has ended.")
    expect(watched.locator("h1")).to_contain_text("In progress.")
    watched.locator("#held button").click()
    expect(watched.locator("h1")).to_contain_text("Answered.")


def test_a_page_that_is_paused_shows_one_moment_everywhere(
    watched: Page, running: RunningCall
) -> None:
    # Then drawings follow once a second, and texts at once.
    watched.emulate_media(reduced_motion="reduce")
    running.comes(SECOND, HELLO)
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
    running.comes(2 * SECOND, MORE)
    expect(watched.locator("[data-follow=pause]")).to_have_attribute("aria-pressed", "true")
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#timeline-facts")).to_contain_text("3 events in 2 reads")


def test_a_state_that_was_asked_for_before_a_pause_is_not_shown_in_it(
    watched: Page, running: RunningCall
) -> None:
    running.comes(SECOND, HELLO)
    expect(watched.locator("#written .text")).to_have_text("Ship from ")
    asked: list[Route] = []
    watched.route("**/state/**", lambda route: asked.append(route))
    with watched.expect_request("**/state/**"):
        pass
    watched.keyboard.press("Space")
    running.ends()
    watched.evaluate(
        "() => { window.heard = new Promise((heard) =>"
        " document.addEventListener('htmx:afterRequest', () => heard(), { once: true })) }"
    )
    asked[0].continue_()
    watched.evaluate("() => window.heard")
    expect(watched.locator("h1")).to_contain_text("In progress.")
    watched.unroute("**/state/**")
    watched.locator("#held button").click()
    expect(watched.locator("h1")).to_contain_text("Answered.")


def test_page_that_gets_no_answer_says_so_and_goes_on(watched: Page, running: RunningCall) -> None:
    running.comes(SECOND, HELLO)
    expect(watched.locator("#written")).to_contain_text("Ship from")
    watched.route("**/growth/**", lambda route: route.fulfill(status=200, body="no JSON"))
    expect(watched.locator("#live-state")).to_contain_text(
        "The page gets no answer; it asks again."
    )
    running.comes(2 * SECOND, MORE)
    watched.unroute("**/growth/**")
    expect(watched.locator("#written .text")).to_have_text("Ship from Rotterdam.")
    expect(watched.locator("#live-state")).to_be_hidden()


def test_scrolling_up_pauses_and_scrolling_down_does_not(
    watched: Page, running: RunningCall
) -> None:
    watched.set_viewport_size({"width": 1280, "height": 500})
    running.comes(SECOND, HELLO + chunk(delta(0, content="line\n" * 60)))
    watched.wait_for_function("() => window.scrollY > 300")
    expect(watched.locator("#held")).to_be_hidden()
    watched.mouse.move(600, 300)
    watched.mouse.wheel(0, -200)
    expect(watched.locator("#held")).to_be_visible()


def test_a_response_longer_than_is_shown_while_it_comes_says_so_and_shows_its_end(
    watched: Page, running: RunningCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_reading, "MOST_BYTES", len(HELLO))
    running.comes(SECOND, HELLO)
    expect(watched.locator("#written .text")).to_have_text("Ship from ")
    running.comes(2 * SECOND, MORE)
    expect(watched.locator("#live-state")).to_contain_text("More has come than is shown")
    expect(watched.locator("h1")).to_contain_text(" B so far")
    expect(watched.locator("#written .text")).to_have_text("Ship from ")
    running.ends()
    expect(watched.locator("h1")).to_contain_text("Answered.")
    expect(watched.locator("#choices .answer")).to_have_text("Ship from Rotterdam.")


@pytest.mark.thorough
def test_it_is_accessible_and_fits_while_it_grows(watched: Page, running: RunningCall) -> None:
    running.began(seconds_ago=60)
    running.comes(SECOND, HELLO)
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
    finish([one])
    inspect_all()
    expect(row).to_contain_text("answered")
