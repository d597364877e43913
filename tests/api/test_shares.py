"""Links over HTTP: made, listed, followed, revoked."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest
from django.test import Client

from inspector.sharing.models import Share
from inspector.teams.access import INGEST, READ
from inspector.teams.keys import create_api_key
from tests.archive.samples import CUT, JSON, accept
from tests.people import Answer, Person, ask, bearer
from tests.sharing.shared import captured

SHARES = "/api/v1/shares/"


def of_capture(capture_id: object) -> str:
    return f"/api/v1/captures/{capture_id}/shares/"


def make(person: Person, capture_id: object, body: bytes = b"{}") -> Answer:
    return person.post(of_capture(capture_id), body)


def opened(url: str) -> bytes:
    response = Client().get(urlsplit(url).path)
    return bytes(response.content) if response.status_code == 200 else b""


def test_a_link_is_made_told_once_followed_and_revoked(owner: Person) -> None:
    capture_id = captured(owner)
    answer = make(owner, capture_id, b'{"max_views":3,"without_prompt":false}')
    assert answer.status == 201
    url, share = answer.json["url"], answer.json["share"]
    assert (share["state"], share["views"], share["max_views"]) == ("live", 0, 3)
    assert b"PROMPT-CANARY" in opened(url)
    one = owner.get(f"{SHARES}{share['id']}/")
    assert [view["network"] for view in one.json["log"]] == ["127.0.0.1"]
    listed = owner.get(SHARES).json["shares"]
    assert listed == owner.get(of_capture(capture_id)).json["shares"] == [one.json["share"]]
    assert urlsplit(url).path.encode() not in owner.get(SHARES).body + one.body
    revoked = owner.ask("DELETE", f"{SHARES}{share['id']}/")
    assert (revoked.status, revoked.json["state"]) == (200, "revoked")
    assert opened(url) == b""


def test_what_is_not_said_is_as_in_the_form(owner: Person) -> None:
    share = make(owner, captured(owner)).json["share"]
    assert (share["max_views"], share["without_prompt"], share["without_texts"]) == (
        25,
        True,
        False,
    )


def test_passages_are_masked_and_one_that_stands_nowhere_is_a_conflict(owner: Person) -> None:
    capture_id = captured(owner)
    answer = make(owner, capture_id, b'{"mask":["ANSWER-CANARY"]}')
    assert answer.json["share"]["masked_passages"] == 1
    assert b"ANSWER-CANARY" not in opened(answer.json["url"])
    refused = make(owner, capture_id, b'{"mask":["NOWHERE"]}')
    assert (refused.status, refused.code) == (409, "passage_not_found")


@pytest.mark.parametrize(
    "body",
    [
        b'{"expires_in":59}',
        b'{"expires_in":31536001}',
        b'{"max_views":0}',
        b'{"max_views":1001}',
        b'{"max_views":"many"}',
        b'{"max_views":null}',
        b'{"mask":["x"]}',
        b'{"mask":"ANSWER"}',
        b'{"for_ever":true}',
        b"[]",
        b"not JSON",
    ],
)
def test_terms_beyond_the_limits_are_refused(owner: Person, body: bytes) -> None:
    assert make(owner, captured(owner), body).status in (400, 422)
    assert not Share.objects.exists()


def test_what_is_not_inspected_is_a_conflict(owner: Person) -> None:
    answer = make(owner, accept(owner, CUT, JSON))
    assert (answer.status, answer.code) == (409, "not_inspected")


def test_a_key_without_export_makes_none_and_another_team_finds_none(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    capture_id = captured(owner)
    number = make(teammate, capture_id).json["share"]["id"]
    reader = bearer(create_api_key(owner.team, "reader", [INGEST, READ]))
    paths = (("POST", of_capture(capture_id)), ("GET", SHARES), ("DELETE", f"{SHARES}{number}/"))
    for method, path in paths:
        assert ask(method, path, b"{}", headers=reader).status == 403
        assert ask(method, path, b"{}").status == 401
    assert make(stranger, capture_id).status == 404
    assert stranger.get(of_capture(capture_id)).status == 404
    assert stranger.get(f"{SHARES}{number}/").status == 404
    assert stranger.ask("DELETE", f"{SHARES}{number}/").status == 404
    assert stranger.get(SHARES).json["shares"] == []
    assert owner.get(f"{SHARES}{number}/").json["share"]["state"] == "live"


def several(person: Person, *captures: object, **more: object) -> Answer:
    body = {"captures": [str(each) for each in captures], **more}
    return person.post(SHARES, json.dumps(body).encode())


def test_several_captures_are_shared_by_one_link(owner: Person) -> None:
    first, second = captured(owner), captured(owner)
    answer = several(owner, first, second, layout="comparison", without_prompt=False)
    assert answer.status == 201
    share = answer.json["share"]
    assert (share["layout"], share["capture"], share["captures"]) == ("comparison", None, 2)
    assert opened(answer.json["url"]).count(b"PROMPT-CANARY") == 2
    assert owner.ask("DELETE", f"{SHARES}{share['id']}/").json["state"] == "revoked"
    assert opened(answer.json["url"]) == b""


@pytest.mark.parametrize(
    ("more", "status", "code"),
    [
        ({"layout": "comparison"}, 409, "other_number"),
        ({"layout": "circle"}, 422, "invalid_body"),
        ({"mask": ["NOWHERE"]}, 409, "passage_not_found"),
        ({"captures": []}, 422, "invalid_body"),
        ({"captures": ["no-id"]}, 422, "invalid_body"),
        ({"captures": ["00000000-0000-7000-8000-00000000dead"]}, 404, "not_found"),
    ],
)
def test_what_cannot_be_shared_together_is_said(
    owner: Person, more: dict[str, object], status: int, code: str
) -> None:
    answer = several(owner, captured(owner), **more)
    assert (answer.status, answer.code) == (status, code)


def test_captures_of_a_stranger_are_not_shared_with_ours(owner: Person, stranger: Person) -> None:
    assert several(owner, captured(owner), captured(stranger)).status == 404
