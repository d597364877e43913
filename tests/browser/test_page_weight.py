"""Demands of a page on a browser and on a reader, counted."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Page, Request

from inspector.operations.samples import samples
from tests.archive.samples import accept_arrival, inspect_all
from tests.browser.watching import listening, look, sign_in
from tests.people import Person

MOST_REQUESTS = 12
WORDS_IN_FIRST_VIEW = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!parent.checkVisibility() || parent.closest(".unseen, script, noscript")) continue;
    const range = document.createRange();
    range.selectNodeContents(walker.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width && box.top < innerHeight && box.bottom > 0)
      words += (walker.currentNode.data.match(/\\S+/g) ?? []).length;
  }
  return words;
}"""
CONTROLS_IN_FIRST_VIEW = """() => [...document.querySelectorAll(
    "a, button, input, select, textarea, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.checkVisibility() && box.width && box.top < innerHeight && box.bottom > 0;
}).length"""


@dataclass
class Weighed:
    page: Page
    asked: list[str] = field(default_factory=list)

    def look(self, path: str) -> None:
        def note(request: Request) -> None:
            self.asked.append(request.url)

        self.asked.clear()
        with listening(self.page, request=note):
            look(self.page, path)


@pytest.fixture
def weighed(page: Page, owner: Person, live_server) -> Weighed:  # type: ignore[no-untyped-def]
    sign_in(page, owner, live_server.url)
    return Weighed(page)


@pytest.fixture
def broken_call(owner: Person) -> str:
    """The address of the sample whose call is truncated, among all samples."""
    by_note = {each.note: accept_arrival(owner, each).id for each in samples()}
    inspect_all()
    return f"/captures/{by_note['parallel tool calls, one broken']}/"


def test_a_page_loads_in_twelve_requests_at_most(weighed: Weighed, broken_call: str) -> None:
    for path in (broken_call, "/t/default/captures/", "/t/default/usage/", "/t/default/team/"):
        weighed.look(path)
        assert len(weighed.asked) <= MOST_REQUESTS, (path, weighed.asked)


@pytest.mark.parametrize(
    ("path_of", "words", "controls"),
    [
        (lambda capture: capture, 345, 60),
        (lambda capture: "/t/default/captures/", 345, 131),
        (lambda capture: "/t/default/usage/", 200, 50),
        (lambda capture: "/t/default/team/", 90, 40),
        (lambda capture: "/t/default/connect/", 170, 40),
    ],
    ids=["capture", "archive", "usage", "team", "connect"],
)
def test_the_first_view_says_and_offers_no_more_than_needed(
    weighed: Weighed,
    broken_call: str,
    path_of: Callable[[str], str],
    words: int,
    controls: int,
) -> None:
    weighed.look(path_of(broken_call))
    assert weighed.page.evaluate(WORDS_IN_FIRST_VIEW) <= words
    assert weighed.page.evaluate(CONTROLS_IN_FIRST_VIEW) <= controls


def test_usage_is_one_screen(weighed: Weighed, broken_call: str) -> None:
    weighed.page.set_viewport_size({"width": 1440, "height": 900})
    weighed.look("/t/default/usage/")
    assert weighed.page.evaluate("document.documentElement.scrollHeight") <= 900
