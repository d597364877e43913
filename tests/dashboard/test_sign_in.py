import pytest
from django.test import Client

from inspector.teams.sign_in import create_link
from tests.people import Person


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


def test_a_link_needs_the_token_of_its_form(owner: Person) -> None:
    strict = Client(enforce_csrf_checks=True)
    path = create_link(owner.user)
    assert strict.post(path).status_code == 403
    assert Client().post(path).status_code == 302


def test_name_and_password_sign_in(client: Client, owner: Person) -> None:
    owner.user.set_password("correct horse")
    owner.user.save()
    wrong = client.post("/sign-in/", {"username": "olga", "password": "wrong"})
    assert wrong.status_code == 403
    assert b"do not belong together" in wrong.content
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
    owner.user.memberships.all().delete() if hasattr(owner.user, "memberships") else (
        owner.user.membership_set.all().delete()
    )
    assert b"You belong to no team yet" in owner.browser().get("/").content
