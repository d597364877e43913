"""Demands of a page on a browser and on a reader, counted."""

from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from inspector.transfer.samples import samples
from tests.archive.samples import accept, accept_arrival, inspect_all
from tests.browser.watching import assert_accessible, listening, look
from tests.people import Person

MOST_REQUESTS = 12
# What is cut off at the edge of a column is no word that anybody reads.
WORDS_IN_FIRST_VIEW = """() => {
  const edge = (element) => {
    let right = innerWidth;
    for (let each = element; each; each = each.parentElement)
      if (getComputedStyle(each).overflowX !== "visible")
        right = Math.min(right, each.getBoundingClientRect().right);
    return right;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (!parent.checkVisibility({opacityProperty: true}) || parent.closest(".unseen, script, noscript, .decimals")) continue;
    const right = edge(parent);
    for (const word of node.data.matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const box = range.getBoundingClientRect();
      if (box.width && box.top < innerHeight && box.bottom > 0 && box.left < right) words += 1;
    }
  }
  return words;
}"""
CONTROLS_IN_FIRST_VIEW = """() => [...document.querySelectorAll(
    "a, button, input, select, textarea, summary")].filter((each) => {
  const box = each.getBoundingClientRect();
  return each.checkVisibility() && box.width && box.top < innerHeight && box.bottom > 0;
}).length"""


# Words and controls of a page's first view, at the most.
MOST = {
    "/t/default/captures/": (267, 100),
    "/t/default/team/": (75, 40),
    "/t/default/connect/": (170, 40),
}


@pytest.fixture
def used(owner: Person) -> None:
    """The samples once more, as calls of one's own: those alone are in sums."""
    for each in samples():
        accept_arrival(owner, replace(each, tags=(), metadata={}))
    inspect_all()


@pytest.fixture
def broken_call(owner: Person) -> str:
    """The address of the sample whose call is truncated, among all samples."""
    by_note = {each.note: accept_arrival(owner, each).id for each in samples()}
    inspect_all()
    return f"/captures/{by_note['parallel tool calls, one broken']}/"


def test_a_page_loads_in_twelve_requests_and_its_first_view_holds_no_more_than_needed(
    owner_page: Page, broken_call: str, subtests: pytest.Subtests
) -> None:
    for path, (words, controls) in ((broken_call, (250, 60)), *MOST.items()):
        asked: list[str] = []
        with subtests.test(page=path):
            with listening(owner_page, request=lambda each, asked=asked: asked.append(each.url)):
                look(owner_page, path)
            assert len(asked) <= MOST_REQUESTS, asked
            assert owner_page.evaluate(WORDS_IN_FIRST_VIEW) <= words
            assert owner_page.evaluate(CONTROLS_IN_FIRST_VIEW) <= controls


def test_usage_is_one_screen_of_few_words(owner_page: Page, used: None) -> None:
    look(owner_page, "/t/default/usage/")
    assert owner_page.evaluate(WORDS_IN_FIRST_VIEW) <= 151
    assert owner_page.evaluate(CONTROLS_IN_FIRST_VIEW) <= 52
    for width in (1280, 1440):
        owner_page.set_viewport_size({"width": width, "height": 900})
        assert owner_page.evaluate("document.documentElement.scrollHeight") <= 900, width


def test_a_group_of_usage_opens_in_its_place_and_closes_again(owner_page: Page, used: None) -> None:
    look(owner_page, "/t/default/usage/")
    opener = owner_page.get_by_role("link", name="gpt-4.1-mini by key", exact=True)
    charts = owner_page.locator(".small-charts").element_handle()
    opener.press("Enter")
    inner = owner_page.locator("#groups .inner th")
    expect(inner).to_have_count(1)
    expect(opener).to_be_focused()
    owner_page.get_by_role("group", name="Group these by").get_by_text("vendor").click()
    expect(inner.first).to_contain_text("not sent")
    assert "within=vendor" in owner_page.url
    assert charts and charts.evaluate("(each) => each.isConnected")
    assert_accessible(owner_page)
    owner_page.get_by_role("link", name="gpt-4.1-mini by vendor", exact=True).click()
    expect(inner).to_have_count(0)


def test_what_came_is_seen_without_much_scrolling(
    owner_page: Page, broken_call: str, owner: Person
) -> None:
    owner_page.set_viewport_size({"width": 1440, "height": 900})
    refused = accept(owner, b'{"error":{"message":"Slow down.","type":"rate_limit"}}')
    inspect_all()
    for path, most in ((broken_call, 2_500), (f"/captures/{refused}/", 900)):
        look(owner_page, path)
        assert owner_page.evaluate("document.documentElement.scrollHeight") <= most, path
