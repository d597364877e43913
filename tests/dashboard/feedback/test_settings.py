"""Sites that may vote, keys that sign, and tokens made and revoked on a capture's page."""

import re
from html import unescape
from uuid import UUID

import pytest

from inspector.feedback.casting import CastVote, VoteRefusal
from inspector.teams.models import Role
from tests.dashboard.feedback.test_feedback_page import page, words
from tests.feedback.voting import carrying, token_for, vote, voted
from tests.people import Person, make_person

SETTINGS = "/t/default/feedback/settings/"
SITE = "https://app.example.org"


def listed(person: Person) -> str:
    return words(page(person, path=SETTINGS))


def test_a_site_is_listed_and_removed(owner: Person) -> None:
    browser = owner.browser()
    assert "No sites, so no page can vote." in listed(owner)
    browser.post(f"{SETTINGS}sites/", {"origin": "HTTPS://App.Example.org:443/"})
    assert f"{SITE} by olga" in listed(owner)
    (site,) = re.findall(r"/settings/sites/(\d+)/remove/", page(owner, path=SETTINGS))
    assert browser.post(f"{SETTINGS}sites/{site}/remove/").status_code == 302
    assert "No sites" in listed(owner)
    assert browser.post(f"{SETTINGS}sites/{site}/remove/").status_code == 404


def test_what_is_no_site_comes_back_with_a_reason(owner: Person, subtests: pytest.Subtests) -> None:
    for origin in ["", "*", "https://*.example.org", "javascript:alert(1)", "https://a.example/b"]:
        with subtests.test(origin=origin):
            answer = owner.browser().post(f"{SETTINGS}sites/", {"origin": origin})
            assert answer.status_code == 422
            html = answer.content.decode()
            assert 'aria-invalid="true"' in html and "errorlist" in html
            assert "No sites" in listed(owner)


def test_another_key_signs_and_the_tokens_of_the_first_stay_good(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    owner.browser().post(f"{SETTINGS}keys/rotate/")
    told = listed(owner)
    assert "in use" in told and "its tokens still work" in told
    assert isinstance(vote(owner, token), CastVote)


def test_all_tokens_are_revoked_only_for_who_writes_the_name_of_the_team(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    answer = owner.browser().post(f"{SETTINGS}keys/revoke/", {"confirm": "yes"})
    assert answer.status_code == 422 and "Nothing was revoked" in answer.content.decode()
    assert isinstance(vote(owner, token), CastVote)
    assert (
        owner.browser().post(f"{SETTINGS}keys/revoke/", {"confirm": "default"}).status_code == 302
    )
    assert vote(owner, token) is VoteRefusal.TOKEN
    assert "revoked" in listed(owner)


# -- tokens of one choice -------------------------------------------------------------------------


def door(capture_id: UUID, choice: int = 0) -> str:
    return f"/captures/{capture_id}/choices/{choice}/feedback-token/"


def shown_token(html: str, choice: int = 0) -> str:
    (token,) = re.findall(rf'id="own-{choice}" tabindex="0">([^<]+)<', html)
    return unescape(token)


def test_a_token_is_shown_once_with_what_to_do_with_it(owner: Person) -> None:
    capture_id = carrying(owner, None, None)
    html = owner.browser().post(door(capture_id, 1), {"days": "2"}).content.decode()
    token = shown_token(html, 1)
    assert isinstance(vote(owner, token, "negative"), CastVote)
    assert token not in page(owner, path=f"/captures/{capture_id}/")
    told = unescape(html)
    assert f'data-feedback-token="{token}"' in told and '/t/default/v1/feedback"' in told
    assert "/static/feedback/button.js" in told and "curl -X POST" in told


def test_the_tokens_of_a_choice_are_revoked(owner: Person) -> None:
    capture_id = carrying(owner, None)
    token = token_for(owner, capture_id)
    answer = owner.browser().post(f"{door(capture_id)}revoke/")
    assert answer.headers["location"] == f"/captures/{capture_id}/#feedback"
    assert vote(owner, token) is VoteRefusal.TOKEN


def test_what_there_is_none_of_gets_no_token(owner: Person) -> None:
    capture_id = carrying(owner, None)
    assert owner.browser().post(door(capture_id, 7)).status_code == 404
    assert owner.browser().post(f"{door(capture_id, 7)}revoke/").status_code == 404


def test_who_may_make_tokens_is_offered_to(owner: Person, teammate: Person) -> None:
    capture_id = carrying(owner, None)
    viewer = make_person("vera", "default", Role.VIEWER)
    assert "Make a token" not in page(viewer, path=f"/captures/{capture_id}/")
    assert "Make a token" in page(teammate, path=f"/captures/{capture_id}/")


def test_the_capture_shows_its_votes_where_they_belong(owner: Person) -> None:
    capture_id = carrying(owner, "fb_a_0", None)
    voted(owner, "fb_a_0", "negative", comment="wrong currency", user_id="ann")
    voted(owner, token_for(owner, capture_id, 1), "positive")
    told = words(page(owner, path=f"/captures/{capture_id}/"))
    assert "choice 0 1 negative vote comment user token triage age" in told
    assert "negative wrong currency ann unverified open" in told
    assert "choice 1 1 positive" in told
    assert "Feedback 2 votes" in told
    viewer = make_person("vera", "default", Role.VIEWER)
    assert "wrong currency" in page(viewer, path=f"/captures/{capture_id}/")


def test_without_votes_a_viewer_is_told_why_there_is_nothing(owner: Person) -> None:
    capture_id = carrying(owner, None)
    viewer = make_person("vera", "default", Role.VIEWER)
    assert "openai-chat does not define feedback tokens" in words(
        page(viewer, path=f"/captures/{capture_id}/")
    )
