import pytest

from inspector.teams.access import INGEST, READ
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey
from tests.archive.samples import WHOLE, inspected
from tests.people import JSON, Answer, Person, ask, bearer

LIST = "/api/v1/captures/"


def told(answer: Answer) -> tuple[int, str, str]:
    error = answer.json["error"]
    return answer.status, error["code"], error["message"]


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "Bearer",
        "Bearer ",
        "Bearer  x",
        "bearer x",
        "Basic b2xnYTpvbGdh",
        "Bearer ' OR 1=1--",
        "Bearer \xff\xfe",
        "Bearer " + "a" * 1_000_000,
        "Token x",
        "x",
    ],
)
def test_without_a_key_that_is_in_use_there_is_one_answer(owner: Person, value: str | None) -> None:
    headers = {} if value is None else {"Authorization": value}
    answer = ask("GET", LIST, headers=headers)
    assert told(answer) == (401, "unauthorized", told(ask("GET", LIST))[2])
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("path", ["", "captures/", f"captures/{'0' * 32}/", "inspect/"])
def test_every_route_asks_for_a_key(owner: Person, path: str) -> None:
    for method in ("GET", "POST"):
        assert ask(method, f"/api/v1/{path}").status == 401


def test_the_scheme_may_be_written_as_one_likes(owner: Person) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert ask("GET", LIST, headers={"Authorization": f"{scheme} {owner.key}"}).status == 200


def test_a_session_opens_no_door_of_the_api(owner: Person) -> None:
    response = owner.browser().get(LIST)
    assert response.status_code == 401
    posted = owner.browser().post(LIST, WHOLE, content_type=JSON)
    assert posted.status_code == 401


def test_where_key_and_session_come_together_key_decides(owner: Person, stranger: Person) -> None:
    inspected(owner)
    response = owner.browser().get(LIST, headers=bearer(stranger.key))
    assert response.json()["captures"] == []


@pytest.mark.parametrize("name", ["key", "api_key", "access_token"])
def test_a_key_in_the_query_is_no_key(owner: Person, name: str) -> None:
    assert ask("GET", f"{LIST}?{name}={owner.key}").status == 401


def test_a_revoked_key_is_refused_from_that_moment_on(owner: Person) -> None:
    assert owner.get(LIST).status == 200
    revoke(ApiKey.objects.get(pk=owner.service.key_id))
    assert owner.get(LIST).status == 401


def test_a_key_does_what_its_scopes_say_and_no_more(owner: Person) -> None:
    capture_id = inspected(owner)
    sender = bearer(create_api_key(owner.team, "sender", [INGEST]))
    reader = bearer(create_api_key(owner.team, "reader", [READ]))
    refused = ask("GET", LIST, headers=sender)
    assert (refused.status, refused.code) == (403, "missing_scope")
    assert "'read'" in refused.json["error"]["message"]
    for path in ("", "raw/", "completion/", "timeline/", "findings/"):
        assert ask("GET", f"{LIST}{capture_id}/{path}", headers=sender).status == 403
        assert ask("GET", f"{LIST}{capture_id}/{path}", headers=reader).status == 200
    assert ask("POST", LIST, WHOLE, JSON, sender).status == 202
    assert ask("POST", LIST, WHOLE, JSON, reader).status == 403
    for headers, status in ((sender, 200), (reader, 403)):
        assert ask("GET", "/api/v1/", headers=headers).status == 200
        assert ask("POST", "/api/v1/inspect/", WHOLE, JSON, headers).status == status
