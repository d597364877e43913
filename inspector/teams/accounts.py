"""People and their teams. Nobody gets a password they did not choose."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from inspector.teams import first_team
from inspector.teams.audit import Act, note_command, note_person
from inspector.teams.models import Membership, Role, SignInLink, Team, User
from inspector.teams.name_scripts import are_alike, has_mixed_scripts
from inspector.teams.names import name_of_user


def create_owner(
    name: str, team_slug: str = first_team.SLUG, team_name: str = first_team.NAME
) -> User:
    """Return the named person as owner of the team; makes whichever of the two is not there yet.

    The password is unusable until ``manage.py changepassword`` sets one; sign-in links work. Raises
    ``ValidationError`` for a new name that could be taken for another.
    """
    name = User.normalize_username(name)
    with transaction.atomic():
        team, _ = Team.objects.get_or_create(slug=team_slug, defaults={"name": team_name})
        user = find_person(name)
        if user is None:
            require_distinct(name)
            user = new_person(name)
        Membership.objects.update_or_create(user=user, team=team, defaults={"role": Role.OWNER})
        note_command([team.pk], Act.OWNER_MADE, name_of_user(user))
    return user


def any_team() -> bool:
    return Team.objects.exists()


def team_ids_where(condition: Q) -> QuerySet[Team, int]:
    """Ids of matching teams, for background work; ``OuterRef("pk")`` in it is the team."""
    return Team.objects.filter(condition).order_by("pk").values_list("pk", flat=True)


def all_team_ids() -> tuple[int, ...]:
    """For commands of whoever owns the machine."""
    return tuple(Team.objects.order_by("pk").values_list("pk", flat=True))


def find_person(name: str) -> User | None:
    return User.objects.filter(username=name).first()


def lock_team(team_id: int) -> None:
    """Until the transaction ends, whoever else asks for it waits."""
    # ``no_key``: captures and keys that refer to the team are stored meanwhile.
    Team.objects.select_for_update(no_key=True).get(pk=team_id)


def note_redacts(team_id: int, redacts: bool) -> None:
    Team.objects.filter(pk=team_id).update(redacts=redacts)


def redacts(team_id: int) -> bool:
    """Tell whether rules of the team overwrite what arrives."""
    return Team.objects.filter(pk=team_id, redacts=True).exists()


def find_team(slug: str) -> Team | None:
    return Team.objects.filter(slug=slug).first()


def default_team() -> Team | None:
    """Return the team of addresses without one: that with the default name, else the oldest."""
    return find_team(first_team.SLUG) or Team.objects.order_by("pk").first()


def first_owner() -> User | None:
    """Return the owner of the first team who has been so the longest."""
    owned = Membership.objects.filter(
        team__slug=first_team.SLUG, role=Role.OWNER, user__is_active=True
    )
    membership = owned.select_related("user").order_by("pk").first()
    return membership.user if membership else None


def require_distinct(name: str, by_other_than: User | None = None) -> None:
    """Raise ``ValidationError`` for a name by which people could be taken for one another."""
    if _is_taken(name, by_other_than):
        raise ValidationError("This name is taken, or looks like one that is.")
    if has_mixed_scripts(name):
        raise ValidationError("This name mixes letters of several scripts; use one.")


def _is_taken(name: str, by_other_than: User | None) -> bool:
    people = User.objects.exclude(pk=by_other_than.pk) if by_other_than else User.objects.all()
    names = people.values_list("username", flat=True)
    return any(are_alike(name, other) for other in names.iterator())


def new_person(name: str, password: str | None = None) -> User:
    # Without a password create_user stores an unusable one.
    email = name if "@" in name else ""
    return User.objects.create_user(username=name, email=email, password=password or None)


def rename(user: User, name: str, network: str) -> None:
    with transaction.atomic():
        note_person(user, Act.NAME_CHANGED, name, network)
        user.username = name
        user.save(update_fields=["username"])


def set_password(user: User, password: str, network: str) -> None:
    """Set the password and end all other sessions: each is signed with the password."""
    user.set_password(password)
    with transaction.atomic():
        user.save(update_fields=["password"])
        note_person(user, Act.PASSWORD_SET, network=network)


def end_sessions(user: User, network: str) -> None:
    """Signed out everywhere; links that would sign in again are used up, too."""
    with transaction.atomic():
        note_person(user, Act.SESSIONS_ENDED, network=network)
        User.objects.filter(pk=user.pk).update(sessions_ended=F("sessions_ended") + 1)
        SignInLink.objects.filter(user=user, used_at=None).update(used_at=timezone.now())
