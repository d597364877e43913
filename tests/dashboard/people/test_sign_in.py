import re
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client
from django.utils import timezone

from inspector.teams.models import Membership
from inspector.teams.sign_in_links import create_link
from tests.people import Person

PASSWORD = "correct horse"
HASHED: list[str] = []


class CountingHasher(MD5PasswordHasher):
    """Counts what costs time."""

    def encode(self, password: str, salt: str) -> str:
        HASHED.append(password)
        return super().encode(password, salt)


@pytest.fixture
def known(owner: Person) -> Person:
    """Who has a password."""
    owner.user.set_password(PASSWORD)
    owner.user.save()
    return owner


def sign_in(client: Client, name: str = "olga", password: str = "wrong", **more: Any) -> Any:
    return client.post("/sign-in/", {"username": name, "password": password}, **more)


def said(answer: Any) -> tuple[int, str]:
    """Without the form's token and the name that was filled in."""
    text = re.sub(r'value="[A-Za-z0-9]{64}"', "", answer.content.decode())
    return answer.status_code, re.sub(r'autocapitalize="none" required value="[^"]*"', "", text)


def test_whoever_is_not_signed_in_is_sent_to_sign_in_and_back(
    client: Client, owner: Person
) -> None:
    answer = client.get("/t/default/captures/?before=x")
    assert answer.status_code == 302
    assert answer["Location"] == "/sign-in/?next=%2Ft%2Fdefault%2Fcaptures%2F%3Fbefore%3Dx"


def test_a_fragment_sends_the_page_around_it(client: Client, owner: Person) -> None:
    answer = client.get("/t/default/captures/live/", headers={"HX-Request": "true"})
    assert (answer.status_code, answer["HX-Redirect"]) == (401, "/sign-in/")


def test_looking_at_a_link_does_not_use_it(client: Client, owner: Person) -> None:
    path = create_link(owner.user)
    for _ in range(3):
        assert b"The link works once" in client.get(path).content
    answer = client.post(path)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert client.get("/")["Location"] == "/t/default/captures/"


def test_a_link_works_once_and_says_so_afterwards(owner: Person) -> None:
    path = create_link(owner.user)
    assert Client().post(path).status_code == 302
    second = Client()
    answer = second.post(path)
    assert answer.status_code == 410
    assert b"used before" in answer.content and b"sign_in_link" in answer.content
    assert second.get("/").status_code == 302
    assert second.post("/sign-in/never-was-one/").status_code == 410


def test_name_and_password_sign_in(client: Client, owner: Person) -> None:
    owner.user.set_password("correct horse")
    owner.user.save()
    wrong = client.post("/sign-in/", {"username": "olga", "password": "wrong"})
    assert wrong.status_code == 403
    assert b"Wrong name or password" in wrong.content
    right = client.post("/sign-in/", {"username": "olga", "password": "correct horse"})
    assert (right.status_code, right["Location"]) == (302, "/")


@pytest.mark.parametrize(
    "asked, goes",
    [("/captures/x/", "/captures/x/"), ("https://evil.example/", "/"), ("//evil.example", "/"),
     ("javascript:alert(1)", "/"), ("/\\evil.example", "/"), ("", "/"), ("captures", "/")],
)  # fmt: skip
def test_signing_in_leads_to_own_paths_only(owner: Person, asked: str, goes: str) -> None:
    answer = Client().post(create_link(owner.user), {"next": asked})
    assert answer["Location"] == goes


def test_signing_out_needs_a_post_and_ends_the_session(owner: Person) -> None:
    browser = owner.browser()
    assert browser.get("/sign-out/").status_code == 405
    assert browser.post("/sign-out/")["Location"] == "/sign-in/"
    assert browser.get("/").status_code == 302


def test_somebody_without_a_team_is_told_so(owner: Person) -> None:
    Membership.objects.filter(user=owner.user).delete()
    assert b"You are in no team yet" in owner.browser().get("/").content


def test_an_unknown_name_and_a_wrong_password_look_the_same(
    known: Person, teammate: Person, settings: Any
) -> None:
    """Also in what it costs: one hash for a name that is not there, or has no password."""
    settings.PASSWORD_HASHERS = [f"{__name__}.CountingHasher"]
    known.user.set_password(PASSWORD)
    known.user.save()
    answers, costs = set(), []
    for name in ("olga", "theo", "nobody", "nobody@example.org", " olga "):
        HASHED.clear()
        answers.add(said(sign_in(Client(), name)))
        costs.append(len(HASHED))
    assert len(answers) == 1
    assert set(costs) == {1}


def test_passwords_are_tried_ten_times_and_then_not_even_looked_at(known: Person) -> None:
    for name in ("olga", "nobody"):
        statuses = [sign_in(Client(), name).status_code for _ in range(30)]
        assert statuses == [403] * 10 + [429] * 20
    refused = sign_in(Client(), "olga", PASSWORD)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 901
    assert b"Too many attempts" in refused.content and b"sign_in_link" in refused.content
    assert said(refused) == said(sign_in(Client(), "nobody"))
    with time_machine.travel(timezone.now() + timedelta(minutes=16)):
        assert sign_in(Client(), "olga", PASSWORD).status_code == 302


def test_an_address_tries_fifty_names(known: Person) -> None:
    statuses = [sign_in(Client(), f"name{number}").status_code for number in range(52)]
    assert statuses == [403] * 50 + [429] * 2
    there = {"REMOTE_ADDR": "198.51.100.7"}
    assert sign_in(Client(), "name1", **there).status_code == 403


def test_an_owner_is_not_locked_out_by_whoever_tries_the_name(known: Person) -> None:
    own = Client()
    assert sign_in(own, "olga", PASSWORD).status_code == 302
    own.post("/sign-out/")
    for _ in range(12):
        refused = sign_in(Client())
    assert refused.status_code == 429
    assert sign_in(Client(), "olga", PASSWORD).status_code == 429
    assert sign_in(own, "olga", PASSWORD).status_code == 302
    assert Client().post(create_link(known.user)).status_code == 302


def test_the_mark_of_a_browser_opens_nothing_and_is_for_one_name(known: Person) -> None:
    own = Client()
    sign_in(own, "olga", PASSWORD)
    mark = own.cookies[settings.BROWSER_COOKIE_NAME]
    assert mark["httponly"] and mark["samesite"] == "Lax" and "olga" not in mark.value
    thief = Client()
    thief.cookies[settings.BROWSER_COOKIE_NAME] = mark.value
    assert thief.get("/").status_code == 302
    assert {sign_in(thief).status_code for _ in range(10)} == {403}
    assert sign_in(thief).status_code == 429
    for _ in range(10):
        sign_in(Client(), "theo")
    assert sign_in(thief, "theo").status_code == 429


@pytest.mark.parametrize("mark", ["", "x", "x:y:z", "\0", "W10:x"])
def test_a_forged_mark_is_none(known: Person, mark: str) -> None:
    client = Client()
    client.cookies[settings.BROWSER_COOKIE_NAME] = mark
    assert sign_in(client, "olga", PASSWORD).status_code == 302


@pytest.mark.parametrize("by", ["password", "link"])
def test_a_session_from_before_signing_in_is_not_the_one_after(known: Person, by: str) -> None:
    client = Client()
    client.force_login(known.user)
    fixed = client.session.session_key
    if by == "link":
        client.post(create_link(known.user))
    else:
        sign_in(client, "olga", PASSWORD)
    assert client.session.session_key != fixed
    held = Client()
    held.cookies[settings.SESSION_COOKIE_NAME] = str(fixed)
    assert held.get("/account/").status_code == 302


def test_a_session_is_dead_after_signing_out(known: Person) -> None:
    client = known.browser()
    stolen = client.cookies[settings.SESSION_COOKIE_NAME].value
    client.post("/sign-out/")
    thief = Client()
    thief.cookies[settings.SESSION_COOKIE_NAME] = stolen
    assert thief.get("/account/").status_code == 302


@pytest.mark.parametrize("name", ["", "\0", "a" * 60_000, "' OR 1=1--", "ä" * 200])
def test_odd_names_are_only_unknown_names(known: Person, name: str) -> None:
    assert sign_in(Client(), name).status_code == 403


def test_a_form_larger_than_any_form_is_not_read(known: Person) -> None:
    answer = sign_in(Client(), "olga", "x" * 70_000)
    assert answer.status_code == 413


@pytest.mark.parametrize("length", ["70000", "-1", "0" * 12 + "70000", "9" * 30, "x", "²"])
def test_a_length_that_is_none_or_too_much_is_refused(known: Person, length: str) -> None:
    answer = sign_in(Client(), "olga", PASSWORD, CONTENT_LENGTH=length)
    assert answer.status_code == 413


def test_a_form_asks_whoever_is_signed_out_to_begin_anew(owner: Person) -> None:
    """The address of a form is no page to come back to."""
    assert Client().post("/t/default/team/keys/")["Location"] == "/sign-in/?next=%2F"
