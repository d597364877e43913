import pytest

from inspector.teams.access import INGEST, READ
from inspector.teams.keys import create_api_key
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


def test_the_scheme_may_be_written_as_one_likes(owner: Person) -> None:
    for scheme in ("Bearer", "bearer", "BEARER"):
        assert ask("GET", LIST, headers={"Authorization": f"{scheme} {owner.key}"}).status == 200


def test_where_key_and_session_come_together_key_decides(owner: Person, stranger: Person) -> None:
    inspected(owner)
    response = owner.browser().get(LIST, headers=bearer(stranger.key))
    assert response.json()["captures"] == []


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
