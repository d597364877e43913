"""Saved views over HTTP: the team's alone, for a key is nobody."""

import json
from typing import Any

import pytest

from inspector.archive import saved_views
from inspector.archive.models import SavedView
from inspector.teams.access import INGEST, READ
from inspector.teams.keys import create_api_key
from tests.people import JSON, Answer, Person, ask, bearer

VIEWS = "/api/v1/views/"


def save(person: Person, **body: Any) -> Answer:
    return person.post(VIEWS, json.dumps({"name": "Broken", **body}).encode())


def names(person: Person) -> list[str]:
    return [view["name"] for view in person.get(VIEWS).json["views"]]


def test_a_view_is_saved_listed_and_deleted(
    owner: Person, teammate: Person, stranger: Person
) -> None:
    made = save(owner, query="verdict=cut-off&q=a b", layout="order=cost")
    assert made.status == 201
    assert made.json["query"] == "q=verdict:cut-off+a+b"
    assert made.json["page"].endswith("/t/default/captures/?q=verdict:cut-off+a+b&order=cost")
    assert (names(owner), names(teammate), names(stranger)) == (["Broken"], ["Broken"], [])
    path = f"{VIEWS}{made.json['id']}/"
    assert stranger.ask("DELETE", path).status == 404
    assert teammate.ask("DELETE", path).json == {"deleted": made.json["id"]}
    assert teammate.ask("DELETE", path).status == 404
    assert owner.ask("DELETE", f"{VIEWS}x/").status == 404


def test_what_people_saved_for_themselves_is_not_told(owner: Person) -> None:
    saved_views.for_principal(owner.principal).save("Mine", "", is_team=False)
    assert names(owner) == []


def test_a_query_that_is_understood_no_more_says_so(owner: Person) -> None:
    save(owner)
    SavedView.objects.update(query="gone=1")
    [view] = owner.get(VIEWS).json["views"]
    assert (view["query"], view["problem"]) == ("gone=1", "gone is no filter")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"query": "verdict=nothing"}, 422, "invalid_parameter"),
        ({"query": "gone=1"}, 422, "invalid_parameter"),
        ({"name": " "}, 422, "invalid_body"),
        ({"name": "x" * 61}, 422, "invalid_body"),
        ({"mine": True}, 422, "invalid_body"),
        ({"name": "Taken"}, 409, "name_taken"),
    ],
)
def test_what_cannot_be_saved_is_refused(
    owner: Person, body: dict[str, Any], status: int, code: str
) -> None:
    save(owner, name="Taken")
    refused = save(owner, **body)
    assert (refused.status, refused.code) == (status, code)
    assert names(owner) == ["Taken"]


def test_views_are_bounded(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saved_views, "MAX_VIEWS", 0)
    assert save(owner).code == "too_many_views"


def test_both_scopes_are_needed_to_save(owner: Person) -> None:
    for scope in (INGEST, READ):
        key = bearer(create_api_key(owner.team, scope, [scope]))
        assert ask("POST", VIEWS, b'{"name":"x"}', JSON, key).code == "missing_scope"
