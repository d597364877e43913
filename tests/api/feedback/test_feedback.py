"""Tokens made, revoked; votes listed, shown, triaged: by keys with the scope, in their team."""

import json
from typing import Any
from uuid import UUID

import pytest

from inspector.archive.annotation import tag_all
from inspector.feedback.models import Triage, Vote
from inspector.teams.access import FEEDBACK
from inspector.teams.keys import create_api_key
from tests.archive.samples import accept
from tests.feedback.voting import SEED_TOKEN, SIGNED, carrying, token_for, vote, voted
from tests.people import Answer, Person, ask, bearer

LIST = "/api/v1/feedback/"


def tokens_of(capture_id: UUID, choice: object = 0) -> str:
    return f"/api/v1/captures/{capture_id}/choices/{choice}/feedback-token/"


def asked(
    person: Person, method: str, path: str, body: Any = None, scopes: tuple[str, ...] = (FEEDBACK,)
) -> Answer:
    key = create_api_key(person.team, "voter", scopes)
    sent = b"" if body is None else json.dumps(body).encode()
    return ask(method, path, sent, headers=bearer(key))


def listed(person: Person, query: str = "") -> list[dict[str, Any]]:
    answer = person.get(f"{LIST}?{query}")
    assert answer.status == 200, answer.body
    rows: list[dict[str, Any]] = answer.json["feedback"]
    return rows


# -- tokens ---------------------------------------------------------------------------------------


def test_a_token_is_made_and_votes_at_the_address_that_comes_with_it(owner: Person) -> None:
    capture_id = carrying(owner, None, None)
    issued = asked(owner, "POST", tokens_of(capture_id, 1), {"expires_in": 3_600})
    assert issued.status == 201
    assert issued.json.keys() == {"feedback_token", "id", "expires_at", "url"}
    path = issued.json["url"].partition("127.0.0.1:8000")[2]
    body = {"feedback_token": issued.json["feedback_token"], "outcome": "negative"}
    assert ask("POST", path, json.dumps(body).encode()).status == 200
    assert Vote.objects.get().choice == 1


def test_without_a_body_it_lasts_as_long_as_usual(owner: Person) -> None:
    assert asked(owner, "POST", tokens_of(carrying(owner, None))).status == 201


def test_what_it_cannot_be_is_refused(owner: Person, subtests: pytest.Subtests) -> None:
    capture_id = carrying(owner, None)
    for body in [
        {"expires_in": 0},
        {"expires_in": 10**9},
        {"expires_in": "1"},
        {"expires": 1},
        [],
        "x",
    ]:
        with subtests.test(body=body):
            assert asked(owner, "POST", tokens_of(capture_id), body).status == 422


def test_a_body_that_curl_calls_a_form_is_told_what_helps(owner: Person) -> None:
    key = create_api_key(owner.team, "voter", [FEEDBACK])
    path, body = tokens_of(carrying(owner, None)), b'{"expires_in":60}'
    refused = ask("POST", path, body, "application/x-www-form-urlencoded", bearer(key))
    assert (refused.status, refused.code) == (415, "form_encoded")
    assert "add -H 'Content-Type: application/json'" in refused.json["error"]["message"]
    assert ask("POST", path, body, "", bearer(key)).status == 201


def test_a_choice_that_is_not_there_is_missing(owner: Person, subtests: pytest.Subtests) -> None:
    capture_id = carrying(owner, None)
    for choice in ["1", "00", "-1", "+0", "x", "9" * 40, "%30%00"]:
        with subtests.test(choice=choice):
            assert asked(owner, "POST", tokens_of(capture_id, choice)).status == 404


def test_before_the_inspection_no_choice_is_known(owner: Person) -> None:
    answer = asked(owner, "POST", tokens_of(accept(owner)))
    assert (answer.status, answer.code) == (409, "not_inspected")
    assert answer.headers["Retry-After"] == "1"


def test_a_token_is_revoked_by_its_id(owner: Person) -> None:
    capture_id = carrying(owner, None)
    one, other = (asked(owner, "POST", tokens_of(capture_id)).json for _ in range(2))
    revoked = asked(owner, "DELETE", f"{tokens_of(capture_id)}?id={one['id']}")
    assert (revoked.status, revoked.json) == (200, {"revoked": one["id"]})
    voted(owner, other["feedback_token"])
    vote(owner, one["feedback_token"])
    assert Vote.objects.count() == 1
    assert asked(owner, "DELETE", tokens_of(capture_id)).json == {"revoked": "all"}
    assert (
        asked(owner, "DELETE", f"{tokens_of(capture_id)}?id={one['feedback_token']}").status == 422
    )


# -- votes ----------------------------------------------------------------------------------------


def test_votes_are_listed_newest_first_page_by_page(owner: Person) -> None:
    capture_id = carrying(owner, None)
    ids = [str(voted(owner, token_for(owner, capture_id)).id) for _ in range(5)]
    first = owner.get(f"{LIST}?limit=2").json
    second = owner.get(f"{LIST}?limit=2&cursor={first['next_cursor']}").json
    last = owner.get(f"{LIST}?limit=2&cursor={second['next_cursor']}").json
    found = [row["id"] for page in (first, second, last) for row in page["feedback"]]
    assert found == ids[::-1]
    assert last["next_cursor"] is None


def test_a_vote_is_told_with_what_is_known_of_it(owner: Person) -> None:
    capture_id = carrying(owner, SIGNED)
    cast = voted(owner, SIGNED, "negative", comment="<b>", user_id="u")
    (row,) = listed(owner)
    created_at = row.pop("created_at")
    assert created_at.endswith("Z")
    assert row == {
        "id": str(cast.id),
        "outcome": "negative",
        "comment": "<b>",
        "user_id": "u",
        "state": "open",
        "capture": str(capture_id),
        "choice": 0,
        "model": "gpt-4o",
        "vendor": row["vendor"],
        "verdict": "complete",
        "result": "answered",
        "verified": False,
        "token": {"kind": "signed", "says": {"t": "1", "u": "1", "r": '"run_id"'}},
    }


def test_the_list_can_be_narrowed(owner: Person) -> None:
    here, there = carrying(owner, None, None), carrying(owner, SEED_TOKEN, model="other")
    tag_all(owner.service, [there], "seen", add=True)
    voted(owner, token_for(owner, here, 1), "positive", user_id="u")
    voted(owner, SEED_TOKEN, "negative", comment="bad")
    carrying(owner, "fb_third_0", model="third")
    voted(owner, "fb_third_0", "negative")
    counts = {
        "outcome=negative": 2,
        "outcome=negative&outcome=positive": 3,
        "state=open": 3,
        "state=resolved": 0,
        "model=gpt-4o": 1,
        "model=gpt-4o&model=other": 2,
        "vendor=nobody": 0,
        "verdict=complete": 3,
        "result=answered": 3,
        "result=empty": 0,
        "finish_reason=stop": 3,
        "finish_reason=length": 0,
        "tag=seen": 1,
        "tag=seen&tag=other": 0,
        "comment=yes": 1,
        "comment=no": 2,
        "verified=yes": 1,
        "verified=no": 2,
        "user=u": 1,
        "user=": 2,
        f"capture={here}": 1,
        f"capture={here}&choice=1": 1,
        f"capture={here}&choice=0": 0,
        "since=1h": 3,
        "until=1h": 0,
    }
    assert {query: len(listed(owner, query)) for query in counts} == counts


@pytest.mark.parametrize(
    "query",
    [
        "outcome=maybe",
        "state=closed",
        "verdict=fine",
        "result=fine",
        "comment=1",
        "since=last+week",
        "since=1h&since=2h",
        "capture=x",
        "choice=-1",
        "choice=1e3",
        "team=other",
        "team__slug=x",
        "order_by=id",
        "cursor=x",
        "limit=0",
        "model=",
        "model=%00",
        "user=%00",
    ],
)
def test_what_is_no_filter_is_refused(owner: Person, query: str) -> None:
    assert owner.get(f"{LIST}?{query}").status == 422


def test_one_vote_comes_with_its_history(owner: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    first = voted(owner, token, "positive", comment="fine")
    second = voted(owner, token, "negative")
    voted(owner, token, "positive", user_id="somebody else")
    page = owner.get(f"{LIST}{second.id}/").json
    assert (page["id"], page["team"], page["triage"]) == (str(second.id), "default", [])
    (earlier,) = page["earlier"]
    assert (earlier["id"], earlier["outcome"], earlier["comment"]) == (
        str(first.id),
        "positive",
        "fine",
    )
    assert earlier["superseded_at"] >= earlier["created_at"]
    assert (page["superseded_at"], page["superseded_by"]) == (None, None)


def test_what_was_made_of_a_superseded_vote_is_told(owner: Person, stranger: Person) -> None:
    token = token_for(owner, carrying(owner, None))
    first = voted(owner, token, "negative")
    path, step = f"{LIST}{first.id}/", {"state": "resolved", "note": "asked for euros"}
    assert asked(owner, "PATCH", path, step).status == 200
    second, third = (voted(owner, token, outcome) for outcome in ("positive", "negative"))
    before = owner.get(path).json
    assert before["superseded_by"] == str(third.id) and before["superseded_at"]
    assert [each["note"] for each in before["triage"]] == ["asked for euros"]
    assert before["earlier"] == []
    between = owner.get(f"{LIST}{second.id}/").json
    assert between["superseded_by"] == str(third.id)
    assert [each["id"] for each in between["earlier"]] == [str(first.id)]
    earlier = owner.get(f"{LIST}{third.id}/").json["earlier"]
    notes = {each["id"]: [step["note"] for step in each["triage"]] for each in earlier}
    assert notes == {str(second.id): [], str(first.id): ["asked for euros"]}
    assert asked(owner, "PATCH", path, step).status == 404
    assert stranger.get(path).status == 404


def test_a_vote_is_triaged_and_every_step_is_kept(owner: Person) -> None:
    carrying(owner, SEED_TOKEN)
    vote_id = voted(owner, SEED_TOKEN, "negative").id
    path = f"{LIST}{vote_id}/"
    for state, note in (("resolved", "prompt fixed"), ("incorrect", ""), ("open", "again")):
        answer = asked(owner, "PATCH", path, {"state": state, "note": note})
        assert (answer.status, answer.json) == (200, {"id": str(vote_id), "state": state})
    page = owner.get(path).json
    assert page["state"] == "open"
    assert [step["state"] for step in page["triage"]] == ["open", "incorrect", "resolved"]
    assert "voter" in page["triage"][0]["by"]


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"state": "closed"},
        {"state": "open", "note": "x" * 2_001},
        {"state": "open", "by": "x"},
        [],
    ],
)
def test_a_step_that_is_none_is_refused(owner: Person, body: Any) -> None:
    carrying(owner, SEED_TOKEN)
    vote_id = voted(owner, SEED_TOKEN).id
    assert asked(owner, "PATCH", f"{LIST}{vote_id}/", body).status == 422
    assert not Triage.objects.exists()


def test_votes_of_others_are_not_listed(owner: Person, teammate: Person, stranger: Person) -> None:
    carrying(owner, SEED_TOKEN)
    voted(owner, SEED_TOKEN)
    assert len(listed(owner)) == len(listed(teammate)) == 1
    assert listed(stranger) == []


def test_what_was_kept_is_asked_for_again(owner: Person) -> None:
    carrying(owner, SEED_TOKEN)
    voted(owner, SEED_TOKEN)
    etag = owner.get(LIST).headers["ETag"]
    assert owner.get(LIST, {"If-None-Match": etag}).status == 304
    voted(owner, SEED_TOKEN, "negative")
    assert owner.get(LIST, {"If-None-Match": etag}).status == 200
