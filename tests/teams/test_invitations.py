from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import IntegrityError, connection
from django.utils import timezone

from inspector.teams.invitations import accept, accept_as_new, find_offer, invite, withdraw
from inspector.teams.models import Invitation, Membership, Role, User
from tests.people import Person, make_person

WEEK = timedelta(days=7)


def invited(person: Person, role: Role = Role.MEMBER, life: timedelta = WEEK) -> str:
    path = invite(person.principal, person.principal.teams[0], role, life)
    assert path is not None
    return path.removeprefix("/join/").removesuffix("/")


def roles(user: User) -> dict[str, str]:
    return dict(Membership.objects.filter(user=user).values_list("team__slug", "role"))


def test_whoever_is_here_already_joins_as_who_they_are(owner: Person, stranger: Person) -> None:
    token = invited(owner, Role.VIEWER)
    offer = find_offer(token)
    assert offer is not None
    assert (offer.team_name, offer.role, offer.made_by) == ("Default", "viewer", "olga")
    assert accept(token, stranger.user) == offer
    assert roles(stranger.user) == {"default": "viewer", "elsewhere": "owner"}


def test_somebody_new_joins_by_a_name(owner: Person) -> None:
    user = accept_as_new(invited(owner), "nora", None)
    assert user is not None
    assert roles(user) == {"default": "member"}
    assert not user.has_usable_password()


def test_an_invitation_is_for_one(owner: Person, stranger: Person) -> None:
    token = invited(owner)
    assert accept_as_new(token, "nora", None)
    assert accept(token, stranger.user) is None
    assert accept_as_new(token, "nils", None) is None
    assert not User.objects.filter(username="nils").exists()


@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_of_many_who_open_an_invitation_together_one_joins(owner: Person) -> None:
    token = invited(owner)
    guests = [User.objects.create_user(f"guest{number}") for number in range(8)]

    def join(user: User) -> bool:
        try:
            return accept(token, user) is not None
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(join, guests)).count(True) == 1
    assert Membership.objects.filter(team=owner.team).count() == 2


def test_it_ends_on_its_day(owner: Person, stranger: Person) -> None:
    token = invited(owner, life=timedelta(days=1))
    with time_machine.travel(timezone.now() + timedelta(days=1, seconds=1)):
        assert find_offer(token) is None
        assert accept(token, stranger.user) is None
        assert accept_as_new(token, "nora", None) is None


def test_it_ends_when_it_is_withdrawn(owner: Person, stranger: Person) -> None:
    token = invited(owner)
    access = owner.principal.teams[0]
    assert not withdraw(
        stranger.principal, stranger.principal.teams[0], Invitation.objects.get().pk
    )
    assert find_offer(token) is not None
    assert withdraw(owner.principal, access, Invitation.objects.get().pk)
    assert accept(token, stranger.user) is None


def test_nobody_invites_above_themselves(owner: Person) -> None:
    admin = make_person("ada", "default", Role.ADMIN)
    access = admin.principal.teams[0]
    assert invite(admin.principal, access, Role.OWNER, WEEK) is None
    assert invite(admin.principal, access, Role.ADMIN, WEEK)


def test_a_member_keeps_role_and_invitation(owner: Person, teammate: Person) -> None:
    token = invited(owner, Role.VIEWER)
    assert accept(token, teammate.user)
    assert roles(teammate.user) == {"default": "member"}
    assert find_offer(token) is not None


def test_a_name_that_is_taken_uses_nothing_up(owner: Person, teammate: Person) -> None:
    token = invited(owner)
    with pytest.raises(IntegrityError):
        accept_as_new(token, "theo", None)
    assert find_offer(token) is not None


@pytest.mark.parametrize("token", ["", "x", "\0", "\ud800", "a" * 10_000])
def test_what_is_no_token_leads_nowhere(owner: Person, token: str) -> None:
    invited(owner)
    assert find_offer(token) is None
    assert accept(token, owner.user) is None


def test_the_token_stands_in_no_table(owner: Person) -> None:
    assert invited(owner) not in str(Invitation.objects.values_list())
