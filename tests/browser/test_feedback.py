"""Votes from a page of another site, and the page on which they arrive."""

import re
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from pytest_playwright import CreateContextCallback

from inspector.dashboard.feedback.embed_code import vote_form
from inspector.feedback import allowed_sites
from inspector.feedback.queries import VoteRow, for_principal
from tests.browser.closed_door import closed_door
from tests.browser.foreign_site import Site, foreign_site
from tests.browser.watching import assert_accessible, sign_in
from tests.dashboard.test_hostile import HOSTILE
from tests.feedback.voting import carrying, token_for, voted
from tests.people import Person

PAGE = "/t/default/feedback/"
THANKS = "Thank you. You can still change your vote."
FAILED = "The vote was not sent. Please try again."
COMMENTED = "Thank you. Your comment arrived."


@pytest.fixture
def site(live_server: Any, owner: Person) -> Iterator[Site]:
    """Listed by the owner's team."""
    with foreign_site(live_server.url) as found:
        assert allowed_sites.allow_site(owner.principal, found.origin)
        yield found


def endpoint(site: Site) -> str:
    return f"{site.inspector}/t/default/v1/feedback"


def script(site: Site) -> str:
    return f'<script async src="{site.inspector}/static/feedback/button.js"></script>'


def box(site: Site, token: str, more: str = "") -> str:
    return f'<div data-feedback-token="{token}" data-endpoint="{endpoint(site)}" {more}></div>'


def form(site: Site, token: str) -> str:
    """Return the form that a capture's page shows to be copied, for the server under test."""
    html = vote_form(token, endpoint(site))
    return html[: html.index("<script")]


def votes(person: Person) -> tuple[VoteRow, ...]:
    return for_principal(person.principal).page().rows


def elsewhere(new_context: CreateContextCallback, site: Site, **more: Any) -> Page:
    """The foreign page, as a visitor has it who never signed in here."""
    page = new_context(**more).new_page()
    page.goto(site.origin)
    return page


def press(visitor: Page, name: str, at: int = 0) -> None:
    visitor.get_by_role("button", name=name).nth(at).click()


# -- the button -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind", [pytest.param(box, marks=pytest.mark.thorough), form], ids=["div", "form"]
)
def test_a_vote_on_another_site_arrives_on_the_open_page(
    owner_page: Page, new_context: CreateContextCallback, site: Site, owner: Person, kind: Any
) -> None:
    capture_id = carrying(owner, None, None)
    site.body = kind(site, token_for(owner, capture_id, 1)) + script(site)
    owner_page.goto(PAGE)
    expect(owner_page.get_by_text("No votes yet.")).to_be_visible()
    visitor = elsewhere(new_context, site)
    press(visitor, "Bad answer")
    expect(visitor.get_by_role("status")).to_have_text(THANKS)
    expect(visitor.get_by_role("button", pressed=True)).to_have_text("Bad answer")
    row = owner_page.locator("#rows tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("negative")
    press(visitor, "Good answer")
    expect(row).to_contain_text("positive")
    expect(row).to_have_count(1)
    assert visitor.url == f"{site.origin}/" and visitor.context.cookies() == []
    row.get_by_role("link", name="positive").click()
    expect(owner_page).to_have_url(re.compile(f"/captures/{capture_id}/#choice-1$"))
    expect(owner_page.locator(".choice.arrived")).to_contain_text("answer 1")


def test_keys_do_what_a_click_does_and_a_comment_follows(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    token = token_for(owner, carrying(owner, None))
    site.body = box(site, token, 'data-user="ann" data-comment') + script(site)
    visitor = elsewhere(new_context, site)
    good = visitor.get_by_role("button", name="Good answer")
    expect(good).to_be_visible()
    expect(visitor.get_by_label("Comment")).to_be_hidden()
    visitor.keyboard.press("Tab")
    expect(good).to_be_focused()
    visitor.keyboard.press("Tab")
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_label("Comment")).to_be_visible()
    assert_accessible(visitor)
    expect(visitor.get_by_role("status")).to_have_text(THANKS)
    visitor.get_by_label("Comment").fill(HOSTILE[0])
    visitor.keyboard.press("Tab")
    visitor.keyboard.press("Enter")
    expect(visitor.get_by_role("status")).to_have_text(COMMENTED)
    expect(visitor.get_by_role("status")).to_be_visible()
    (vote,) = votes(owner)
    assert (vote.outcome, vote.user_id, vote.comment) == ("negative", "ann", HOSTILE[0])


LOOK = """button => [
  getComputedStyle(button).boxShadow !== "none",
  getComputedStyle(button, "::before").content.includes("✓"),
]"""


@pytest.mark.thorough
def test_the_pressed_button_looks_pressed_on_a_page_with_a_strict_policy(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    tokens = [token_for(owner, carrying(owner, None)) for _ in range(2)]
    site.body = box(site, tokens[0]) + form(site, tokens[1]) + script(site)
    visitor = elsewhere(new_context, site)
    for at in range(2):
        good, bad = (
            visitor.get_by_role("button", name=f"{word} answer").nth(at) for word in ("Good", "Bad")
        )
        expect(bad).to_have_attribute("aria-pressed", "false")
        bad.click()
        expect(visitor.get_by_role("status").nth(at)).to_have_text(THANKS)
        assert (bad.evaluate(LOOK), good.evaluate(LOOK)) == ([True, True], [False, False])
        good.click()
        expect(good).to_have_attribute("aria-pressed", "true")
        assert (bad.evaluate(LOOK), good.evaluate(LOOK)) == ([False, False], [True, True])


@pytest.mark.thorough
def test_how_a_pressed_button_looks_is_the_pages(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    style = "<style>button { box-shadow: none } button::before { content: none }</style>"
    site.body = style + box(site, token_for(owner, carrying(owner, None))) + script(site)
    visitor = elsewhere(new_context, site, bypass_csp=True)
    press(visitor, "Bad answer")
    bad = visitor.get_by_role("button", pressed=True)
    expect(bad).to_have_text("Bad answer")
    assert bad.evaluate(LOOK) == [False, False]


@pytest.mark.thorough
def test_several_answers_on_one_page_have_each_their_own(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    ids = [carrying(owner, None) for _ in range(2)]
    site.body = (
        "".join(box(site, token_for(owner, capture_id)) for capture_id in ids) + script(site) * 2
    )
    visitor = elsewhere(new_context, site)
    press(visitor, "Bad answer", at=1)
    expect(visitor.get_by_role("status").nth(1)).to_have_text(THANKS)
    expect(visitor.get_by_role("status").nth(0)).to_have_text("")
    assert [(vote.capture_id, vote.outcome) for vote in votes(owner)] == [(ids[1], "negative")]


@pytest.mark.thorough
def test_an_answer_that_comes_later_gets_its_buttons(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    token = token_for(owner, carrying(owner, None))
    site.body = script(site)
    visitor = elsewhere(new_context, site)
    visitor.evaluate(
        """([token, endpoint]) => {
          const box = document.createElement("div");
          box.dataset.feedbackToken = token;
          box.dataset.endpoint = endpoint;
          document.body.append(box);
        }""",
        [token, endpoint(site)],
    )
    press(visitor, "Good answer")
    expect(visitor.get_by_role("status")).to_have_text(THANKS)


@pytest.mark.thorough
def test_a_vote_whose_answer_was_lost_is_sent_once_more_and_counts_once(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    site.body = box(site, token_for(owner, carrying(owner, None))) + script(site)
    visitor = elsewhere(new_context, site)
    sent: list[str] = []

    def lose_the_first(route: Any) -> None:
        if route.request.method == "POST":
            sent.append(route.request.post_data)
        answer = route.fetch()
        if len(sent) == 1 and route.request.method == "POST":
            route.abort()
        else:
            route.fulfill(response=answer)

    visitor.route(endpoint(site), lose_the_first)
    press(visitor, "Bad answer")
    expect(visitor.get_by_role("status")).to_have_text(THANKS)
    assert len(sent) == 2 and sent[0] == sent[1]
    assert len(votes(owner)) == 1


def test_a_site_that_is_not_listed_is_refused(
    new_context: CreateContextCallback, live_server: Any, owner: Person
) -> None:
    token = token_for(owner, carrying(owner, None))
    with foreign_site(live_server.url) as site:
        site.body = box(site, token) + script(site)
        visitor = elsewhere(new_context, site)
        press(visitor, "Good answer")
        expect(visitor.get_by_role("status")).to_have_text(
            f"Votes are not taken from {site.origin}: the site is not listed."
        )
        expect(visitor.get_by_role("button", pressed=True)).to_have_count(0)
    assert votes(owner) == ()


@pytest.mark.thorough
def test_where_nobody_answers_the_visitor_may_try_again(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    site.body = box(site, token_for(owner, carrying(owner, None))) + script(site)
    visitor = elsewhere(new_context, site)
    visitor.route(f"{endpoint(site)}*", lambda route: route.abort())
    press(visitor, "Good answer")
    expect(visitor.get_by_role("status")).to_have_text(FAILED)
    visitor.unroute(f"{endpoint(site)}*")
    press(visitor, "Good answer")
    expect(visitor.get_by_role("status")).to_have_text(THANKS)


@pytest.mark.thorough
def test_an_answer_that_no_page_may_read_says_nothing_of_lists(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    token = token_for(owner, carrying(owner, None))
    with closed_door() as door:
        site.body = box(site, token).replace(site.inspector, door) + script(site)
        visitor = elsewhere(new_context, site, bypass_csp=True)
        press(visitor, "Good answer")
        expect(visitor.get_by_role("status")).to_have_text(FAILED)
    assert votes(owner) == ()


@pytest.mark.thorough
def test_a_token_that_is_good_for_nothing_says_so(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    site.body = box(site, "ri1.nothing") + script(site)
    visitor = elsewhere(new_context, site)
    press(visitor, "Good answer")
    expect(visitor.get_by_role("status")).to_have_text("This answer can no longer be voted on.")
    expect(visitor.get_by_role("button", pressed=True)).to_have_count(0)


def test_without_scripts_the_form_votes(
    new_context: CreateContextCallback, site: Site, owner: Person
) -> None:
    site.body = form(site, token_for(owner, carrying(owner, None))) + script(site)
    visitor = elsewhere(new_context, site, java_script_enabled=False)
    press(visitor, "Bad answer")
    expect(visitor.get_by_role("heading")).to_have_text("Thank you")
    assert [vote.outcome for vote in votes(owner)] == ["negative"]
    visitor.go_back()
    press(visitor, "Good answer")
    expect(visitor.get_by_text("Your positive vote was kept.")).to_be_visible()
    assert [vote.outcome for vote in votes(owner)] == ["positive"]


# -- the page -------------------------------------------------------------------------------------


def many(person: Person, number: int = 30) -> UUID:
    capture_id = carrying(person, None)
    token = token_for(person, capture_id)
    for at in range(number):
        voted(person, token, "negative", user_id=str(at))
    return capture_id


@pytest.mark.thorough
def test_nothing_moves_while_somebody_reads_further_down(owner_page: Page, owner: Person) -> None:
    capture_id = many(owner)
    owner_page.goto(PAGE)
    rows = owner_page.locator("#rows tr")
    rows.nth(25).scroll_into_view_if_needed()
    owner_page.evaluate("window.scrollTo(0, document.documentElement.scrollHeight)")
    voted(owner, token_for(owner, capture_id), "positive", user_id="new")
    expect(owner_page.locator("#status")).to_contain_text("1 newer")
    expect(rows).to_have_count(30)
    owner_page.evaluate("window.scrollTo(0, 0)")
    expect(rows).to_have_count(31)
    expect(rows.first).to_contain_text("positive")


def test_a_vote_that_was_changed_takes_its_rows_place_however_often_that_is_told(
    owner_page: Page, owner: Person
) -> None:
    seen, unseen = (token_for(owner, many(owner, 1)) for _ in range(2))
    voted(owner, seen, "negative", user_id="ann")
    owner_page.goto(PAGE)
    rows = owner_page.locator("#rows tr")
    expect(rows).to_have_count(3)
    for token, outcome in ((unseen, "negative"), (unseen, "positive"), (seen, "positive")):
        voted(owner, token, outcome, user_id="ann")
    for _ in range(2):
        with owner_page.expect_response(re.compile("/feedback/live/")):
            owner_page.evaluate("htmx.trigger('#live', 'poll')")
        expect(rows.filter(has_text="positive")).to_have_count(2)
        expect(rows).to_have_count(4)


def test_votes_are_selected_by_keys_and_triaged_in_their_place(
    owner_page: Page, owner: Person
) -> None:
    many(owner, 3)
    owner_page.goto(PAGE)
    rows = owner_page.locator("#rows tr")
    for key in ("j", "x", "j", "x"):
        owner_page.keyboard.press(key)
    form = owner_page.locator("#selection")
    expect(form).to_contain_text("2 selected")
    form.get_by_label("note").fill("asked for euros")
    form.get_by_role("button", name="Incorrect").click()
    expect(form).to_contain_text("2 votes incorrect.")
    expect(rows.nth(0)).to_contain_text("incorrect")
    expect(rows.nth(1)).to_contain_text("incorrect")
    expect(rows.nth(2)).to_contain_text("open")
    expect(form).to_contain_text("0 selected")
    rows.nth(0).get_by_role("link", name="incorrect").click()
    expect(owner_page.get_by_text("asked for euros")).to_be_visible()


@pytest.mark.thorough
def test_triage_works_without_scripts(
    new_context: CreateContextCallback, live_server: Any, owner: Person
) -> None:
    many(owner, 2)
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, owner, live_server.url)
    page.goto(f"{PAGE}?outcome=negative")
    page.locator("#rows input[type=checkbox]").first.check()
    page.get_by_role("button", name="Resolved").click()
    expect(page.locator("#rows tr").first).to_contain_text("resolved")
    page.wait_for_url(lambda url: url.endswith("?outcome=negative#votes"))
