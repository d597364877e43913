import pytest
from django.test import Client

from inspector.teams.models import User
from tests.people import Person
from tests.teams.test_invitations import invited, roles

PASSWORD = "a long way from common"


def test_looking_does_not_use_it(owner: Person) -> None:
    path = f"/join/{invited(owner)}/"
    for _ in range(3):
        page = Client().get(path)
        assert b"Join Default" in page.content and b"olga invites you as member" in page.content


def test_somebody_new_is_in_at_once(owner: Person) -> None:
    client, path = Client(), f"/join/{invited(owner)}/"
    answer = client.post(path, {"name": "nora"})
    assert answer["Location"] == "/t/default/captures/"
    assert client.get("/t/default/captures/").status_code == 200
    assert Client().post(path, {"name": "nils"}).status_code == 410


def test_somebody_new_may_choose_a_password(owner: Person) -> None:
    path = f"/join/{invited(owner)}/"
    assert Client().post(path, {"name": "nora", "password": "short"}).status_code == 422
    assert Client().post(path, {"name": "nora", "password": PASSWORD}).status_code == 302
    signed_in = Client().post("/sign-in/", {"username": "nora", "password": PASSWORD})
    assert signed_in.status_code == 302


@pytest.mark.parametrize("name", ["", "olga", "OLGA", "two words", "a\0b", "x" * 151])
def test_a_name_that_cannot_be_uses_nothing_up(owner: Person, name: str) -> None:
    path = f"/join/{invited(owner)}/"
    answer = Client().post(path, {"name": name})
    assert answer.status_code == 422 and b"errorlist" in answer.content
    assert Client().post(path, {"name": "nora"}).status_code == 302
    assert User.objects.count() == 2


def test_whoever_is_signed_in_joins_as_who_they_are(owner: Person, stranger: Person) -> None:
    path, browser = f"/join/{invited(owner)}/", stranger.browser()
    assert b"Join as sven" in browser.get(path).content
    assert browser.post(path)["Location"] == "/t/default/captures/"
    assert roles(stranger.user) == {"default": "member", "elsewhere": "owner"}


def test_a_member_is_told_so(owner: Person, teammate: Person) -> None:
    page = teammate.browser().get(f"/join/{invited(owner)}/")
    assert b"You are already in Default" in page.content


def test_what_leads_nowhere_has_one_answer(owner: Person) -> None:
    used = f"/join/{invited(owner)}/"
    assert Client().post(used, {"name": "nora"}).status_code == 302
    answers = [
        (answer.status_code, answer.content)
        for path in (used, "/join/never-was-one/")
        for answer in (Client().get(path), Client().post(path, {"name": "nils"}))
    ]
    assert [status for status, _ in answers] == [410] * 4
    assert len({body for _, body in answers}) == 1
