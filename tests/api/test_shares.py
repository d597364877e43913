"""Links over HTTP: made, listed, followed, revoked."""

from urllib.parse import urlsplit

import pytest
from django.test import Client

from inspector.sharing.models import Share
from tests.people import Answer, Person
from tests.sharing.shared import captured

SHARES = "/api/v1/shares/"


def of_capture(capture_id: object) -> str:
    return f"/api/v1/captures/{capture_id}/shares/"


def make(person: Person, capture_id: object, body: bytes = b"{}") -> Answer:
    return person.post(of_capture(capture_id), body)


def opened(url: str) -> bytes:
    response = Client().get(urlsplit(url).path, follow=True)
    return bytes(response.content) if response.status_code == 200 else b""


def test_a_link_is_made_told_once_followed_and_revoked(owner: Person) -> None:
    capture_id = captured(owner)
    answer = make(owner, capture_id, b'{"expires_in":60,"without_prompt":false}')
    assert answer.status == 201
    url, share = answer.json["url"], answer.json["share"]
    assert (share["state"], share["views"], share["query"]) == ("live", 0, None)
    assert b"PROMPT-CANARY" in opened(url)
    one = owner.get(f"{SHARES}{share['id']}/")
    assert one.json["views"] == 1 and one.json["last_viewed_at"] is not None
    listed = owner.get(SHARES).json["shares"]
    assert listed == owner.get(of_capture(capture_id)).json["shares"] == [one.json]
    assert urlsplit(url).path.encode() not in owner.get(SHARES).body + one.body
    revoked = owner.ask("DELETE", f"{SHARES}{share['id']}/")
    assert (revoked.status, revoked.json["state"]) == (200, "revoked")
    assert opened(url) == b""


def test_what_is_not_said_is_as_in_the_form(owner: Person) -> None:
    share = make(owner, captured(owner)).json["share"]
    assert share["without_prompt"] is True


@pytest.mark.parametrize(
    "body",
    [
        b'{"expires_in":59}',
        b'{"expires_in":31536001}',
        b'{"expires_in":null}',
        b'{"without_prompt":"no"}',
        b'{"max_views":3}',
        b'{"for_ever":true}',
        b"[]",
        b"not JSON",
    ],
)
def test_terms_beyond_the_limits_are_refused(owner: Person, body: bytes) -> None:
    assert make(owner, captured(owner), body).status in (400, 422)
    assert not Share.objects.exists()


def test_the_list_of_a_query_is_shared_by_a_link(owner: Person) -> None:
    capture_id = captured(owner)
    answer = owner.post(f"{SHARES}?q=stream:yes", b'{"without_prompt":false}')
    assert answer.status == 201
    share = answer.json["share"]
    assert (share["capture"], share["query"]) == (None, "stream:yes")
    assert str(capture_id).encode() in opened(answer.json["url"])
    assert owner.ask("DELETE", f"{SHARES}{share['id']}/").json["state"] == "revoked"
    assert opened(answer.json["url"]) == b""


@pytest.mark.parametrize(
    ("query", "body", "status"),
    [
        ("?nothing=1", b"{}", 422),
        ("?q=nothing:1", b"{}", 422),
        ("", b'{"layout":"list"}', 422),
        ("", b'{"captures":[]}', 422),
    ],
)
def test_what_is_no_list_is_refused(owner: Person, query: str, body: bytes, status: int) -> None:
    assert owner.post(f"{SHARES}{query}", body).status == status
    assert not Share.objects.exists()
