"""The call shape of WorkflowAI's clients, and what else may be sent to it."""

import gzip
import json
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

import pytest
from django.conf import LazySettings

from api import rate_limits
from api.rate_limits import TokenBuckets
from inspector.archive.deletion import delete
from inspector.feedback import allowed_sites
from inspector.feedback.models import LIVE, Vote
from inspector.teams.access import FEEDBACK
from inspector.teams.keys import create_api_key
from tests.feedback.voting import SEED_TOKEN, SIGNED, carrying, token_for
from tests.people import JSON, Answer, Person, ask, bearer

ROOT = "/v1/feedback"
FORM = "application/x-www-form-urlencoded"
SITE = "https://app.example.org"


def post(
    path: str, body: Any, content_type: str = JSON, headers: dict[str, str] | None = None
) -> Answer:
    sent = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask("POST", path, sent, content_type, headers)


def get(path: str, **query: str) -> Answer:
    return ask("GET", f"{path}?{urlencode(query)}")


def ballot(token: str, outcome: Any = "positive", **more: Any) -> dict[str, Any]:
    return {"feedback_token": token, "outcome": outcome, **more}


@pytest.fixture
def token(owner: Person) -> str:
    return token_for(owner, carrying(owner, None))


def place(person: Person) -> str:
    return f"/t/{person.team.slug}/v1/feedback"


def test_the_call_as_the_documents_of_workflowai_print_it(owner: Person) -> None:
    """With the token that they print (000)."""
    carrying(owner, SEED_TOKEN)
    sent = {
        "feedback_token": SEED_TOKEN,
        "outcome": "positive",
        "comment": "This is a great response!",
        "user_id": "user_123",
    }
    answer = post(ROOT, sent)
    assert answer.status == 200
    id_ = answer.json["id"]
    assert answer.json == {
        "id": id_,
        "outcome": "positive",
        "comment": "This is a great response!",
        "user_id": "user_123",
        "verified": False,
    }
    assert post(ROOT, sent).json["id"] == id_
    said = get(ROOT, feedback_token=SEED_TOKEN, user_id="user_123")
    assert (said.status, said.json) == (200, {"outcome": "positive"})
    nobody = get(ROOT, feedback_token=SEED_TOKEN, user_id="user_124")
    assert (nobody.status, nobody.json) == (200, {"outcome": None})


@pytest.mark.parametrize("foreign", [SIGNED, SEED_TOKEN])
def test_a_foreign_token_is_taken_at_the_teams_address(owner: Person, foreign: str) -> None:
    carrying(owner, foreign)
    answer = post(place(owner), ballot(foreign, "negative"))
    assert (answer.status, answer.json["verified"]) == (200, False)


def test_a_token_of_ours_is_taken_at_its_team_and_at_the_root_alone(
    owner: Person, stranger: Person, token: str
) -> None:
    theirs = token_for(stranger, carrying(stranger, None))
    for path, sent in ((ROOT, token), (place(owner), token), (ROOT, theirs)):
        assert post(path, ballot(sent)).json["verified"] is True
    assert post(place(owner), ballot(theirs)).status == 400
    assert post(place(stranger), ballot(token)).status == 400


def test_one_vote_for_a_user_whatever_is_sent_again(owner: Person, token: str) -> None:
    first = post(ROOT, ballot(token, comment="ok"))
    assert post(ROOT, ballot(token, comment="ok")).json == first.json
    changed = post(ROOT, ballot(token, "negative"))
    assert changed.json["id"] != first.json["id"] and changed.json["comment"] is None
    # Null, empty and left out are nobody's name.
    for nobody in ({"user_id": None}, {"user_id": ""}, {}):
        assert post(ROOT, ballot(token, "negative", **nobody)).json == changed.json
    assert Vote.objects.filter(LIVE).count() == 1
    assert get(ROOT, feedback_token=token).json == {"outcome": "negative"}


def test_every_refused_token_gets_one_answer(owner: Person, stranger: Person, token: str) -> None:
    refused = {
        "forged": token[:-1] + ("A" if token[-1] != "A" else "B"),
        "truncated": token[:-20],
        "another team's": token_for(stranger, carrying(stranger, None)),
        "a megabyte": "ri1." + "A" * 1_000_000,
        "a megabyte of nothing": "x" * 1_048_576,
        "a word": "hello",
        "empty": "",
        "an API key": owner.key,
        "cut": SIGNED[:-8],
    }
    answers = [post(place(owner), ballot(each)) for each in refused.values()]
    answers += [post("/t/nowhere/v1/feedback", ballot(each)) for each in (token, SEED_TOKEN)]
    answers += [get(place(owner), feedback_token=refused["forged"], user_id="")]
    told = [(a.status, {**a.json["error"], "request_id": ""}, a.headers["Vary"]) for a in answers]
    assert told == [told[0]] * len(answers)
    assert told[0][:2] == (
        400,
        {
            "code": "invalid_feedback_token",
            "message": "this feedback token is not valid",
            "request_id": "",
            "status_code": 400,
        },
    )
    assert not Vote.objects.exists()


def test_a_deleted_choices_token_is_not_found(owner: Person) -> None:
    capture_id = carrying(owner, SEED_TOKEN)
    ours = token_for(owner, capture_id)
    delete(owner.service, capture_id)
    for each in (ours, SEED_TOKEN):
        assert (post(ROOT, ballot(each)).status, post(ROOT, ballot(each)).code) == (404, "deleted")
        assert get(ROOT, feedback_token=each).status == 404


WRONG: dict[str, tuple[Any, int]] = {
    "no JSON": (b"great", 400),
    "an empty object": ({}, 422),
    "no token": ({"outcome": "positive"}, 422),
    "an unknown outcome": (ballot("@", "excellent"), 422),
    "upper case": (ballot("@", "POSITIVE"), 422),
    "true": (ballot("@", True), 422),
    "a list of one": (ballot("@", ["positive"]), 422),
    "null": (ballot("@", None), 422),
    "NaN": (b'{"feedback_token":"@","outcome":NaN}', 400),
    "a huge number": (b'{"feedback_token":"@","outcome":' + b"9" * 5_000 + b"}", 400),
    "a token that is a number": ({"feedback_token": 1, "outcome": "positive"}, 422),
    "a token twice": (b'{"feedback_token":"@","outcome":"positive","feedback_token":"x"}', 400),
    "another target": (ballot("@", capture_id=str(uuid4())), 422),
    "a comment that is a list": (ballot("@", comment=["x"]), 422),
    "a long comment": (ballot("@", comment="x" * 8_001), 422),
    "a long name": (ballot("@", user_id="x" * 201), 422),
    "a NUL": (ballot("@", comment="a\0b"), 400),
    "a NUL in a name": (ballot("@", user_id="\0"), 400),
    "half a pair": (b'{"feedback_token":"@","outcome":"negative","comment":"\\ud800"}', 400),
    "no UTF-8": (b'{"feedback_token":"@","outcome":"negative","comment":"\xff"}', 400),
    "deep": (b'{"feedback_token":"@","comment":' + b"[" * 2_000 + b"]" * 2_000 + b"}", 400),
    "several at once": ([ballot("@")] * 3, 422),
    "too much": (ballot("@", comment="x" * 2_200_000), 413),
}


def test_what_is_no_vote_is_refused_and_nothing_is_kept(
    owner: Person, token: str, subtests: pytest.Subtests
) -> None:
    for kind in WRONG:
        with subtests.test(kind=kind):
            body, status = WRONG[kind]
            sent = body if isinstance(body, bytes) else json.dumps(body).encode()
            answer = post(ROOT, sent.replace(b"@", token.encode()))
            assert answer.status == status, answer.body
            assert answer.json["error"]["status_code"] == status
            assert not Vote.objects.exists()


def test_an_unknown_member_is_named(token: str) -> None:
    answer = post(ROOT, ballot(token, capture_id="x"))
    assert "capture_id" in answer.json["error"]["message"]


def test_a_comment_is_kept_as_it_was_written(token: str, subtests: pytest.Subtests) -> None:
    for comment in [
        "שלום 👩‍👩‍👧 مرحبا",
        "<svg/onload=alert(1)>",
        "e" + "\u0301" * 5_000,
        "=1+1",
        "",
        "  ",
    ]:
        with subtests.test(comment=comment):
            assert post(ROOT, ballot(token, comment=comment)).json["comment"] == comment
            assert Vote.objects.latest("created_at").comment == comment


def test_other_ways_to_send_it(token: str) -> None:
    packed = gzip.compress(json.dumps(ballot(token)).encode())
    assert post(ROOT, packed, headers={"Content-Encoding": "gzip"}).status == 200
    assert post(ROOT, ballot(token), "application/json; charset=utf-8").status == 200
    for kind in ("text/plain", "multipart/form-data; boundary=x", "application/xml", ""):
        assert post(ROOT, ballot(token), kind).status == 415
    assert ask("PUT", ROOT).status == 405
    assert "POST" in ask("PUT", ROOT).headers["Allow"]
    assert post(f"{ROOT}/", ballot(token)).status == 404
    assert post(f"{ROOT}/", ballot(token)).code == "not_found"
    assert post(f"{ROOT}?team=elsewhere", ballot(token)).status == 422
    assert get(ROOT).status == 422
    for nowhere in ("/t/%00/v1/feedback", "/t/%C2%8F%0C%22/v1/feedback", "/t/ü/v1/feedback"):
        assert post(nowhere, ballot(token)).code == "invalid_feedback_token"
    assert post(ROOT, b"").status in (400, 415)


@pytest.mark.parametrize(
    ("kind", "status", "advice"),
    [
        ("", 415, "name what the body is: Content-Type: application/json, or application/x-www-"),
        ("text/plain", 415, "name what the body is: Content-Type: application/json"),
        (FORM, 400, "this is JSON that is called a form: send it with Content-Type: application/json"),
    ],
)  # fmt: skip
def test_a_vote_of_an_unknown_kind_is_told_what_to_send(
    token: str, kind: str, status: int, advice: str
) -> None:
    refused = post(ROOT, ballot(token), kind)
    assert refused.status == status
    assert advice in refused.json["error"]["message"]
    assert not Vote.objects.exists()


# -- the form of a page without scripts -----------------------------------------------------------


def form(body: str, **headers: str) -> Answer:
    return post(ROOT, body.encode(), FORM, headers)


def test_a_form_is_a_vote_too(owner: Person, token: str) -> None:
    answer = form(f"feedback_token={token}&outcome=positive&comment=hi+there%21&user_id=")
    assert (answer.status, answer.json["comment"]) == (200, "hi there!")
    empty = form(f"feedback_token={token}&outcome=positive&comment=&user_id=u")
    assert (empty.json["comment"], empty.json["user_id"]) == (None, "u")


def test_a_person_is_thanked_by_a_page(owner: Person, token: str) -> None:
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    answer = form(f"feedback_token={token}&outcome=negative", Accept=accept)
    assert answer.status == 200 and b"Thank you" in answer.body
    assert answer.headers["Content-Type"].startswith("text/html")
    assert Vote.objects.get().outcome == "negative"


@pytest.mark.parametrize(
    ("body", "origin", "status", "why"),
    [
        ("feedback_token=ri1.nothing&outcome=positive", "", 400, b"can no longer be voted on."),
        ("feedback_token=@&outcome=maybe", "", 422, b"Something is wrong with what the page sent."),
        ("feedback_token=@&outcome=positive", "https://unlisted.example.org", 403, b"The site"),
    ],
)
def test_a_person_reads_why_a_vote_was_not_kept(
    token: str, body: str, origin: str, status: int, why: bytes
) -> None:
    headers = {"Accept": "text/html", **({"Origin": origin} if origin else {})}
    answer = form(body.replace("@", token), **headers)
    assert answer.status == status and why in answer.body
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert not Vote.objects.exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("feedback_token=@&outcome=positive&outcome=negative", 400),
        ("feedback_token=@&outcome=maybe", 422),
        ("feedback_token=@&outcome=positive&team=x", 422),
        ("feedback_token=@&outcome=positive&comment=%FF", 400),
        ("feedback_token=@&outcome=positive&comment=%00", 400),
        ("feedback_token", 400),
        ("&".join(f"a{n}=1" for n in range(100)), 400),
        ('{"feedback_token":"@","outcome":"positive"}', 400),
    ],
)
def test_a_form_that_says_something_else_is_refused(token: str, body: str, status: int) -> None:
    assert form(body.replace("@", token)).status == status
    assert not Vote.objects.exists()


# -- from other sites -----------------------------------------------------------------------------


@pytest.fixture
def listed(owner: Person) -> str:
    assert allowed_sites.allow_site(owner.principal, SITE)
    return SITE


def preflight(path: str, origin: str | None) -> Answer:
    headers = {"Access-Control-Request-Method": "POST"} | ({"Origin": origin} if origin else {})
    return ask("OPTIONS", path, headers=headers)


def test_listed_site_may_read_what_became_of_a_vote(owner: Person, token: str, listed: str) -> None:
    for path in (ROOT, place(owner)):
        answer = post(path, ballot(token), headers={"Origin": SITE})
        assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (200, SITE)
        assert "Origin" in answer.headers["Vary"]
        assert "Access-Control-Allow-Credentials" not in answer.headers
        told = ask("GET", f"{path}?feedback_token={token}", headers={"Origin": SITE})
        assert (told.status, told.headers["Access-Control-Allow-Origin"]) == (200, SITE)


def test_no_other_site_may(
    owner: Person, token: str, listed: str, subtests: pytest.Subtests
) -> None:
    for origin in [
        "https://evil.example",
        "null",
        "http://app.example.org",
        "https://app.example.org.evil.example",
        "https://app.example.org:8443",
        "https://APP.example.org",
        "https://äpp.example.org",
        "*",
        "",
        "x" * 10_000,
    ]:
        with subtests.test(origin=origin):
            sent = f"feedback_token={token}&outcome=positive".encode()
            for answer in (
                post(ROOT, ballot(token), headers={"Origin": origin}),
                post(ROOT, sent, FORM, {"Origin": origin}),
                ask("GET", f"{ROOT}?feedback_token={token}", headers={"Origin": origin}),
            ):
                assert (answer.status, answer.code) == (403, "site_not_listed")
                assert answer.headers["Access-Control-Allow-Origin"] == "*"
                assert "Access-Control-Allow-Credentials" not in answer.headers
                assert "Origin" in answer.headers["Vary"]
            assert not Vote.objects.exists()


FORGED = ["", "x", "ri1.nothing", "fb_nobody_0", "[" * 100_000]


def test_without_a_good_token_every_site_is_answered_alike(
    owner: Person, stranger: Person, listed: str, subtests: pytest.Subtests
) -> None:
    """And every team, those among them that do not exist."""
    for path in (ROOT, place(owner), place(stranger), "/t/nowhere/v1/feedback"):
        with subtests.test(path=path):
            here, elsewhere = answers_to(path, listed), answers_to(path, "https://evil.example")
            assert here == elsewhere
            assert {allowed for _, allowed, _ in here} == {"*"}


def answers_to(path: str, origin: str) -> list[tuple[int, str, Any]]:
    """Status, who may read it and what it says, for a preflight and for all that is no token."""
    asked = [preflight(path, origin), ask("GET", path, headers={"Origin": origin})]
    asked += [post(path, ballot(forged), headers={"Origin": origin}) for forged in FORGED]
    return [
        (a.status, a.headers["Access-Control-Allow-Origin"], a.body and a.json["error"]["code"])
        for a in asked
    ]


def test_a_preflight_names_what_a_vote_needs(owner: Person, listed: str) -> None:
    may = preflight(ROOT, "https://evil.example")
    assert (may.status, may.body) == (204, b"")
    assert "POST" in may.headers["Access-Control-Allow-Methods"]
    assert may.headers["Access-Control-Allow-Headers"] == "Content-Type"
    assert "Access-Control-Allow-Credentials" not in may.headers


def test_token_asks_its_own_team_for_the_site(owner: Person, stranger: Person, token: str) -> None:
    """At the root, which takes tokens of every team, nobody asks one team by another's token."""
    assert allowed_sites.allow_site(stranger.principal, SITE)
    assert post(ROOT, ballot(token), headers={"Origin": SITE}).status == 403
    assert allowed_sites.allow_site(owner.principal, SITE)
    assert post(ROOT, ballot(token), headers={"Origin": SITE}).status == 200


def test_our_own_pages_and_programs_need_no_list(
    owner: Person, token: str, settings: LazySettings
) -> None:
    assert post(ROOT, ballot(token), headers={"Origin": settings.ORIGIN}).status == 200
    plain = preflight(ROOT, None)
    assert (plain.status, plain.headers["Allow"]) == (204, "GET, POST, HEAD, OPTIONS")
    assert "Access-Control-Allow-Origin" not in plain.headers


# -- how often ------------------------------------------------------------------------------------


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, settings: LazySettings) -> Iterator[Any]:
    class Clock:
        now = 0.0

        def __call__(self) -> float:
            return self.now

    clock = Clock()
    monkeypatch.setattr(rate_limits, "_voters", TokenBuckets(30.0, clock))
    monkeypatch.setattr(rate_limits, "_team_votes", TokenBuckets(2.0, clock))
    settings.VOTES_PER_SECOND, settings.TEAM_VOTES_PER_SECOND = 0.1, 100
    yield clock


def test_an_address_that_votes_too_often_is_told_when_to_go_on(
    owner: Person, token: str, clock: Any, listed: str
) -> None:
    for _ in range(3):
        assert post(ROOT, ballot(token)).status == 200
    refused = post(ROOT, ballot(token), headers={"Origin": SITE})
    assert (refused.status, refused.headers["Retry-After"]) == (429, "10")
    assert refused.code == "too_many_requests"
    assert refused.headers["Access-Control-Allow-Origin"] == "*"
    assert "Retry-After" in refused.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Credentials" not in refused.headers
    assert preflight(ROOT, SITE).status == 204
    assert get(ROOT, feedback_token=token).status == 429
    assert owner.get("/api/v1/").status == 200
    clock.now += 10
    assert post(ROOT, ballot(token)).status == 200


def test_a_team_that_is_flooded_leaves_the_others_alone(
    owner: Person, stranger: Person, token: str, clock: Any, settings: LazySettings
) -> None:
    carrying(owner, "fb_x_0")
    settings.VOTES_PER_SECOND, settings.TEAM_VOTES_PER_SECOND = 1_000, 1
    theirs = token_for(stranger, carrying(stranger, None))
    answers = [post(place(owner), ballot("fb_x_0")).status for _ in range(5)]
    assert answers == [200, 200, 429, 429, 429]
    assert preflight(place(owner), None).status == 204
    assert post(place(stranger), ballot(theirs)).status == 200


# -- elsewhere ------------------------------------------------------------------------------------


def test_a_key_and_a_session_change_nothing_here(owner: Person, token: str) -> None:
    """Neither opens what the token does not."""
    voter = bearer(create_api_key(owner.team, "voter", [FEEDBACK]))
    assert post(ROOT, ballot("x"), headers=voter).status == 400
    assert post(ROOT, ballot(token), headers=bearer("ri_no_key")).status == 200
    browser = owner.browser()
    assert browser.post(ROOT, json.dumps(ballot("x")), JSON).status_code == 400
