import pytest
from django.test import Client

from inspector.teams.models import Membership, Role, SignInLink, User
from inspector.teams.sign_in_links import create_link
from tests.people import Person

PASSWORD = "a long way from common"
NEW = "another way, longer still"


@pytest.fixture
def known(owner: Person) -> Person:
    """Who has a password."""
    owner.user.set_password(PASSWORD)
    owner.user.save()
    return owner


def change(client: Client, new: str = NEW, again: str = NEW, **more: str) -> int:
    answer = client.post("/account/password/", {"new": new, "again": again, **more})
    return answer.status_code


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def test_the_page_shows_name_and_teams(owner: Person, stranger: Person) -> None:
    Membership.objects.create(user=owner.user, team=stranger.team, role=Role.VIEWER)
    page = owner.browser().get("/account/").content.decode()
    assert 'value="olga"' in page
    assert "/t/default/team/" in page and "/t/elsewhere/team/" in page
    assert "viewer" in page and "Set the password" in page


def test_somebody_without_a_team_has_an_account(db: None) -> None:
    client = Client()
    client.force_login(User.objects.create_user("nora"))
    assert b"You are in no team" in client.get("/account/").content


def test_a_name_can_be_changed(owner: Person) -> None:
    assert owner.browser().post("/account/name/", {"name": "olga@example.org"}).status_code == 302
    assert User.objects.get(pk=owner.user.pk).username == "olga@example.org"


@pytest.mark.parametrize("name", ["", " ", "x" * 151, "two words", "<b>", "a\0b", "theo", "THEO"])
def test_a_name_that_cannot_be_is_refused_with_a_reason(
    owner: Person, teammate: Person, name: str
) -> None:
    answer = owner.browser().post("/account/name/", {"name": name})
    assert answer.status_code == 422
    assert b"errorlist" in answer.content
    assert User.objects.get(pk=owner.user.pk).username == "olga"


def test_ones_own_name_in_other_letters_is_not_taken(owner: Person) -> None:
    assert owner.browser().post("/account/name/", {"name": "Olga"}).status_code == 302


def test_the_first_password_needs_no_other(owner: Person) -> None:
    assert change(owner.browser()) == 302
    assert User.objects.get(pk=owner.user.pk).check_password(NEW)


def test_a_password_is_changed_by_whoever_knows_it(known: Person) -> None:
    assert change(known.browser()) == 422
    assert change(known.browser(), current="wrong") == 422
    assert change(known.browser(), current=PASSWORD) == 302
    assert User.objects.get(pk=known.user.pk).check_password(NEW)


@pytest.mark.parametrize("new", ["", "short", "password123", "8273645182"])
def test_a_weak_password_is_refused_with_a_reason(owner: Person, new: str) -> None:
    answer = owner.browser().post("/account/password/", {"new": new, "again": new})
    assert answer.status_code == 422
    assert b"errorlist" in answer.content
    assert not User.objects.get(pk=owner.user.pk).has_usable_password()


def test_a_slip_of_the_finger_is_not_a_password(owner: Person) -> None:
    assert change(owner.browser(), again="another way") == 422


def test_a_new_password_ends_every_other_session(known: Person) -> None:
    here, elsewhere = known.browser(), known.elsewhere()
    before = here.session.session_key
    assert change(here, current=PASSWORD) == 302
    assert is_in(here) and not is_in(elsewhere)
    assert here.session.session_key != before


def test_a_password_cannot_be_guessed_from_an_open_session(known: Person) -> None:
    browser = known.browser()
    assert {change(browser, current="wrong") for _ in range(10)} == {422}
    assert change(browser, current=PASSWORD) == 429


def test_signing_out_everywhere_leaves_no_way_back_in(owner: Person) -> None:
    here, elsewhere, link = owner.browser(), owner.elsewhere(), create_link(owner.user)
    answer = here.post("/account/sessions/end/")
    assert answer["Location"] == "/sign-in/"
    assert not is_in(here) and not is_in(elsewhere)
    assert Client().post(link).status_code == 410
    assert SignInLink.objects.get().used_at is not None
    assert is_in(owner_again(owner))


def owner_again(owner: Person) -> Client:
    client = Client()
    assert client.post(create_link(owner.user)).status_code == 302
    return client
