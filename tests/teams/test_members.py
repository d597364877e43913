from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from inspector.teams.invitations import find_offer
from inspector.teams.members import MembershipChange, change_role, grantable, leave, remove
from inspector.teams.models import Membership, Role
from tests.people import Person, make_person
from tests.teams.test_invitations import invited


def id_of(person: Person) -> int:
    return Membership.objects.get(user=person.user, team=person.team).pk


def role_of(person: Person) -> str:
    return Membership.objects.get(user=person.user, team=person.team).role


def by(person: Person):  # type: ignore[no-untyped-def]
    return person.principal, person.principal.teams[0]


@pytest.fixture
def admin(db: None) -> Person:
    return make_person("ada", "default", Role.ADMIN)


def test_an_owner_changes_every_role(owner: Person, teammate: Person) -> None:
    for role in Role:
        assert change_role(*by(owner), id_of(teammate), role) is MembershipChange.DONE
        assert role_of(teammate) == role


def test_an_administrator_manages_whoever_is_below_an_owner(
    owner: Person, admin: Person, teammate: Person
) -> None:
    assert grantable(by(admin)[1]) == (Role.VIEWER, Role.MEMBER, Role.ADMIN)
    assert change_role(*by(admin), id_of(teammate), Role.ADMIN) is MembershipChange.DONE
    assert change_role(*by(admin), id_of(teammate), Role.OWNER) is MembershipChange.ABOVE
    assert change_role(*by(admin), id_of(admin), Role.OWNER) is MembershipChange.ABOVE
    assert change_role(*by(admin), id_of(owner), Role.VIEWER) is MembershipChange.ABOVE
    assert remove(*by(admin), id_of(owner)) is MembershipChange.ABOVE
    assert (role_of(owner), role_of(admin)) == (Role.OWNER, Role.ADMIN)


def test_a_team_keeps_an_owner(owner: Person, admin: Person) -> None:
    assert change_role(*by(owner), id_of(owner), Role.ADMIN) is MembershipChange.LAST_OWNER
    assert remove(*by(owner), id_of(owner)) is MembershipChange.LAST_OWNER
    assert leave(*by(owner), owner.user.pk) is MembershipChange.LAST_OWNER
    assert change_role(*by(owner), id_of(admin), Role.OWNER) is MembershipChange.DONE
    assert leave(*by(owner), owner.user.pk) is MembershipChange.DONE
    assert leave(*by(admin), admin.user.pk) is MembershipChange.LAST_OWNER


@pytest.mark.both_stacks
@pytest.mark.django_db(transaction=True)
def test_of_two_owners_who_remove_each_other_one_stays(owner: Person) -> None:
    other = make_person("otto", "default", Role.OWNER)
    pairs = [(*by(owner), id_of(other)), (*by(other), id_of(owner))]

    def run(pair):  # type: ignore[no-untyped-def]
        try:
            return remove(*pair)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        changes = list(pool.map(run, pairs))
    assert sorted(change.name for change in changes) == ["DONE", "LAST_OWNER"]
    assert Membership.objects.filter(team=owner.team).count() == 1


def test_nobody_is_changed_in_another_team(owner: Person, stranger: Person) -> None:
    assert change_role(*by(stranger), id_of(owner), Role.VIEWER) is MembershipChange.MISSING
    assert remove(*by(stranger), id_of(owner)) is MembershipChange.MISSING
    assert role_of(owner) == Role.OWNER


def test_invitations_end_with_the_word_of_their_maker(owner: Person, admin: Person) -> None:
    by_owner, first = invited(owner, Role.VIEWER), invited(admin, Role.ADMIN)
    assert change_role(*by(owner), id_of(admin), Role.ADMIN) is MembershipChange.DONE
    assert find_offer(first) is None
    second = invited(admin, Role.MEMBER)
    assert remove(*by(owner), id_of(admin)) is MembershipChange.DONE
    assert find_offer(second) is None
    assert find_offer(by_owner) is not None
