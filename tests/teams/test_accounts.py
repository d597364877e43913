from inspector.teams.accounts import create_owner, find_person, find_team, first_owner
from inspector.teams.models import Membership, Role, Team
from tests.people import Person


def test_the_first_owner_owns_the_team_called_default(db: None) -> None:
    user = create_owner("olga@example.org")
    assert Membership.objects.get(user=user, team__slug="default").role == Role.OWNER
    assert first_owner() == user
    assert user.email == "olga@example.org"


def test_nobody_gets_a_password_they_did_not_choose(db: None) -> None:
    user = create_owner("olga")
    assert not user.has_usable_password()
    assert not user.check_password("") and not user.check_password("olga")
    assert not user.is_staff and not user.is_superuser


def test_making_an_owner_twice_changes_nothing(db: None) -> None:
    assert create_owner("olga") == create_owner("olga")
    assert Membership.objects.count() == Team.objects.count() == 1


def test_a_member_can_be_made_an_owner(teammate: Person) -> None:
    create_owner(teammate.user.username)
    assert Membership.objects.get(user=teammate.user).role == Role.OWNER


def test_who_and_what_is_not_there_is_none(db: None) -> None:
    assert find_person("nobody") is None
    assert find_team("nowhere") is None
    assert first_owner() is None
