"""Askers who lie about who they are, and what belongs to others."""

import logging
from collections.abc import Iterator
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import get_resolver

from inspector.teams.authorisation import TABLE, AuthMethod
from inspector.teams.keys import create_api_key, revoke
from inspector.teams.models import ApiKey
from inspector.teams.route_check import routes
from tests.archive.samples import SSE, STREAM, WHOLE, inspected
from tests.people import JSON, Answer, Person, ask, bearer
from tests.teams.world import MISSING, World, all_routes, make_world
from tests.tiers import some_of

LIST = "/api/v1/captures/"
SPELLINGS = {
    "upper case": lambda capture_id: str(capture_id).upper(),
    "without dashes": lambda capture_id: capture_id.hex,
    "in braces": lambda capture_id: f"{{{capture_id}}}",
    "as a name": lambda capture_id: f"urn:uuid:{capture_id}",
    "as a number": lambda capture_id: str(capture_id.int),
}


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.DEBUG):
        yield caplog


def told(answer: Answer) -> tuple[Any, ...]:
    """All of an answer but the number of its request."""
    body = answer.json
    body.get("error", {}).pop("request_id", None)
    return answer.status, answer.headers.get("WWW-Authenticate"), body


def key_routes() -> list[tuple[str, str]]:
    """Every address of the API that asks for a key, with the methods of its row."""
    found = []
    for route in routes(get_resolver().url_patterns):
        row = TABLE[route.name]
        if row.auth_method is AuthMethod.KEY:
            path = "/" + route.address.replace("<str:capture_id>", str(MISSING["capture_id"]))
            found += [(method, path) for method in row.methods if method != "HEAD"]
    return found


def not_keys(owner: Person) -> dict[str, str]:
    return {
        "empty": "",
        "no key": "Bearer",
        "a space": "Bearer ",
        "two spaces": "Bearer  x",
        "a megabyte": "Bearer " + "a" * 1_000_000,
        "NUL": "Bearer \0",
        "NUL behind a key": f"Bearer {owner.key}\0",
        "not ASCII": "Bearer \xff\xfe\u0101".encode().decode("latin-1"),
        "two headers, as servers join them": f"Bearer {owner.key},Bearer {owner.key}",
        "two keys": f"Bearer {owner.key} {owner.key}",
        "SQL": "Bearer ' OR 1=1--",
        "the first 20 characters": f"Bearer {owner.key[:20]}",
        "the first 20 characters and others": f"Bearer {owner.key[:20]}{'A' * 26}",
        "other letters": f"Bearer {owner.key.swapcase()}",
        "the hash of a key": f"Bearer {ApiKey.objects.get(team=owner.team).sha256}",
        "what lists show of a key": f"Bearer {ApiKey.objects.get(team=owner.team).prefix}",
        "another scheme": f"Basic {owner.key}",
        "no scheme": owner.key,
    }


def test_no_key_gets_one_answer_everywhere(owner: Person, logged: pytest.LogCaptureFixture) -> None:
    for method, path in key_routes():
        answers = [
            told(ask(method, path, headers={"Authorization": value}))
            for value in not_keys(owner).values()
        ]
        assert answers == [told(ask(method, path))] * len(answers), (method, path)
        assert answers[0][:2] == (401, "Bearer")
    assert owner.key not in logged.text


def test_a_key_that_was_good_gets_the_same_answer_as_none(owner: Person) -> None:
    dead = create_api_key(owner.team, "dead")
    assert ask("GET", LIST, headers=bearer(dead)).status == 200
    revoke(ApiKey.objects.get(name="dead"))
    assert told(ask("GET", LIST, headers=bearer(dead))) == told(ask("GET", LIST))


@pytest.mark.parametrize("name", ["key", "api_key", "access_token", "token", "authorization"])
def test_a_key_in_the_query_opens_nothing_and_is_written_nowhere(
    owner: Person, name: str, logged: pytest.LogCaptureFixture
) -> None:
    for method, path in key_routes():
        answer = ask(method, f"{path}?{name}={owner.key}")
        assert answer.status == 401
        assert owner.key.encode() not in answer.body
    # Beside a key in its header it is refused by its name, or asks for captures of such a key.
    beside = owner.get(f"{LIST}?{name}={owner.key}")
    assert beside.status in (200, 422) and owner.key.encode() not in beside.body
    assert owner.key not in logged.text


FORM, EVIL = "application/x-www-form-urlencoded", "https://evil.example"
EVERYWHERE = tuple(product((FORM, "text/plain", JSON), (EVIL, "null", None)))


def test_no_page_takes_a_form_from_elsewhere(db: None, subtests: pytest.Subtests) -> None:
    world = make_world()
    client = Client(enforce_csrf_checks=True)
    client.cookies[settings.SESSION_COOKIE_NAME] = str(world.askers["owner"].session)
    for content_type, origin in some_of(EVERYWHERE, len(EVERYWHERE)):
        with subtests.test(origin=origin, content_type=content_type):
            assert_refused_everywhere(client, world, content_type, origin)


def assert_refused_everywhere(
    client: Client, world: World, content_type: str, origin: str | None
) -> None:
    headers = {"Origin": origin} if origin else {}
    asked = 0
    for route in some_of(all_routes(), 3):
        row = TABLE[route.name]
        if row.auth_method is AuthMethod.KEY or route.name.startswith("api:"):
            continue
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            path = world.sides["ours"].path(route)
            answer = client.generic(method, path, "a=b", content_type, headers=headers)
            assert answer.status_code == 403, (method, path)
            asked += 1
    assert asked >= 4 * 20


def test_a_session_does_nothing_at_the_api_whatever_the_origin(owner: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    for method, path in key_routes():
        for origin in ("https://evil.example", "http://testserver"):
            answer = client.generic(method, path, WHOLE, "text/plain", headers={"Origin": origin})
            assert answer.status_code == 401


def test_beside_somebody_elses_session_the_key_decides(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner)
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    foreign = {**bearer(stranger.key), "Origin": "https://evil.example"}
    assert client.get(LIST, headers=foreign).json()["captures"] == []
    assert client.get(f"{LIST}{capture_id}/", headers=foreign).status_code == 404
    refused = client.post(LIST, WHOLE, content_type=JSON, headers=foreign)
    assert refused.json()["error"]["code"] == "origin_not_listed"
    posted = client.post(LIST, WHOLE, content_type=JSON, headers=bearer(stranger.key))
    assert posted.status_code == 202
    assert stranger.get(f"{LIST}{posted.json()['id']}/").status == 200
    assert owner.get(f"{LIST}{posted.json()['id']}/").status == 404


def test_a_key_weakens_no_form(owner: Person, stranger: Person) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner.user)
    answer = client.post("/t/default/team/keys/", {"name": "x"}, headers=bearer(stranger.key))
    assert answer.status_code == 403
    assert Client().get("/t/default/captures/", headers=bearer(owner.key)).status_code == 302


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_id_spelt_otherwise_is_ones_own(owner: Person, stranger: Person, spelling: str) -> None:
    capture_id = inspected(owner)
    spelled, unknown = SPELLINGS[spelling](capture_id), SPELLINGS[spelling](uuid4())
    for part in ("", "raw/", "completion/", "findings/"):
        own = owner.get(f"{LIST}{spelled}/{part}")
        if own.status == 200:
            assert own.body == owner.get(f"{LIST}{capture_id}/{part}").body
        else:
            assert told(own) == told(owner.get(f"{LIST}{unknown}/{part}"))
        foreign = stranger.get(f"{LIST}{spelled}/{part}")
        assert told(foreign) == told(stranger.get(f"{LIST}{unknown}/{part}"))
    pages = [stranger.browser().get(f"/captures/{text}/") for text in (spelled, unknown)]
    assert [page.status_code for page in pages] == [404, 404]


def test_a_page_of_the_api_is_found_by_every_spelling_but_the_number(owner: Person) -> None:
    capture_id = inspected(owner)
    found = {
        name: owner.get(f"{LIST}{spell(capture_id)}/").status for name, spell in SPELLINGS.items()
    }
    assert found.pop("as a number") == 404
    assert set(found.values()) == {200}


def test_a_cursor_of_another_team_is_a_place_in_time(owner: Person, stranger: Person) -> None:
    """One that was made up for the same moment does the same."""
    own = str(inspected(stranger))
    capture_id = inspected(owner)
    cursor = owner.get(LIST).json["latest_cursor"]
    made_up = cursor.replace(capture_id.hex, UUID(int=capture_id.int ^ 1).hex)
    assert made_up != cursor
    for name in ("cursor", "after"):
        by_theirs, by_none = (
            stranger.get(f"{LIST}?{name}={value}").json["captures"] for value in (cursor, made_up)
        )
        assert by_theirs == by_none
        assert {row["id"] for row in by_theirs} <= {own}


def test_an_etag_of_another_team_tells_nothing(owner: Person, stranger: Person) -> None:
    capture_id = inspected(owner, STREAM, SSE)
    path = f"/captures/{capture_id}/timeline.json"
    etag = owner.browser().get(path)["ETag"]
    assert owner.browser().get(path, headers={"If-None-Match": etag}).status_code == 304
    for address in (path, f"/captures/{uuid4()}/timeline.json"):
        answer = stranger.browser().get(address, headers={"If-None-Match": etag})
        assert answer.status_code == 404


def test_foreign_rows_add_nothing_to_any_number(owner: Person, stranger: Person) -> None:
    """Not even those whose ids somebody knows."""
    ids = [inspected(owner) for _ in range(3)]
    own = inspected(stranger)
    assert [row["id"] for row in stranger.get(LIST).json["captures"]] == [str(own)]
    page = stranger.browser().get("/t/elsewhere/captures/").content.decode()
    assert page.count('<tr id="row-') == 1 and not any(
        str(capture_id) in page for capture_id in ids
    )
    after = stranger.get(LIST).json["latest_cursor"]
    known = "&".join(f"unfinished={capture_id}" for capture_id in ids)
    live = stranger.browser().get(f"/t/elsewhere/captures/live/?after={after}&{known}")
    assert live.status_code == 200 and not any(
        str(capture_id) in live.content.decode() for capture_id in ids
    )


def test_equal_bytes_of_another_team_are_not_mentioned(owner: Person, stranger: Person) -> None:
    inspected(owner)
    capture_id = inspected(stranger)
    assert stranger.get(f"{LIST}{capture_id}/").json["same_bytes_as"] == []


def test_one_idempotency_key_in_two_teams_is_two_captures(owner: Person, stranger: Person) -> None:
    headers = {"Idempotency-Key": "the-same"}
    ours, theirs = (p.post(LIST, WHOLE, headers=headers) for p in (owner, stranger))
    assert (ours.status, theirs.status) == (202, 202)
    assert ours.json["id"] != theirs.json["id"]
    other = stranger.post(LIST, STREAM, SSE, headers)
    assert (other.status, other.code) == (409, "idempotency_key_reused")
    again = owner.post(LIST, WHOLE, headers=headers)
    assert (again.status, again.json["id"]) == (200, ours.json["id"])
