"""People and their teams. Nobody gets a password they did not choose."""

from __future__ import annotations

from django.db import transaction

from inspector.teams.models import Membership, Role, Team, User

FIRST_TEAM_SLUG = "default"
FIRST_TEAM_NAME = "Default"


def create_owner(
    name: str, team_slug: str = FIRST_TEAM_SLUG, team_name: str = FIRST_TEAM_NAME
) -> User:
    """The named person as owner of the team; makes whichever of the two is not there yet.

    The password is unusable until ``manage.py changepassword`` sets one; sign-in links work.
    """
    with transaction.atomic():
        team, _ = Team.objects.get_or_create(slug=team_slug, defaults={"name": team_name})
        user = find_person(name) or _new_person(name)
        Membership.objects.update_or_create(user=user, team=team, defaults={"role": Role.OWNER})
    return user


def find_person(name: str) -> User | None:
    return User.objects.filter(username=name).first()


def find_team(slug: str) -> Team | None:
    return Team.objects.filter(slug=slug).first()


def first_owner(team_slug: str = FIRST_TEAM_SLUG) -> User | None:
    owned = Membership.objects.filter(team__slug=team_slug, role=Role.OWNER, user__is_active=True)
    membership = owned.select_related("user").order_by("pk").first()
    return membership.user if membership else None


def _new_person(name: str) -> User:
    # No password given: create_user stores an unusable one.
    return User.objects.create_user(username=name, email=name if "@" in name else "")
