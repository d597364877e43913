"""Changing who belongs to a team. A team always keeps an owner."""

from enum import Enum, auto

from django.db import transaction
from django.utils import timezone

from inspector.teams.access import Principal, TeamAccess
from inspector.teams.audit import Act, note
from inspector.teams.models import Invitation, Membership, Role, Team
from inspector.teams.names import name_of_user


class MembershipChange(Enum):
    DONE = auto()
    MISSING = auto()
    # Only an owner may appoint, change or remove an owner.
    ABOVE = auto()
    LAST_OWNER = auto()


def grantable(actor: TeamAccess) -> tuple[Role, ...]:
    """Return the roles that somebody may give: none above their own."""
    return tuple(role for role in Role if not role.is_above(actor.role))


def change_role(by: Principal, actor: TeamAccess, member_id: int, role: Role) -> MembershipChange:
    with transaction.atomic():
        member = _member(actor, pk=member_id)
        if member is None:
            return MembershipChange.MISSING
        if role not in grantable(actor) or _is_above(actor, member):
            return MembershipChange.ABOVE
        if role is not Role.OWNER and _is_last_owner(member):
            return MembershipChange.LAST_OWNER
        note(by, actor.id, Act.ROLE_CHANGED, f"{_name(member)}: {member.role} → {role}")
        member.role = role
        member.save(update_fields=["role"])
        _withdraw_invitations(member)
    return MembershipChange.DONE


def remove(by: Principal, actor: TeamAccess, member_id: int) -> MembershipChange:
    with transaction.atomic():
        member = _member(actor, pk=member_id)
        if member is not None and _is_above(actor, member):
            return MembershipChange.ABOVE
        return _remove(by, member, Act.MEMBER_REMOVED)


def leave(by: Principal, actor: TeamAccess, user_id: int) -> MembershipChange:
    with transaction.atomic():
        return _remove(by, _member(actor, user=user_id), Act.LEFT)


def rename_team(by: Principal, actor: TeamAccess, name: str) -> None:
    with transaction.atomic():
        Team.objects.filter(pk=actor.id).update(name=name)
        note(by, actor.id, Act.TEAM_RENAMED, name)


def _member(actor: TeamAccess, **which: int) -> Membership | None:
    # The team's row is the lock: two owners who remove each other would both see another one left.
    Team.objects.select_for_update().filter(pk=actor.id).first()
    return Membership.objects.filter(team=actor.id, **which).first()


def _is_above(actor: TeamAccess, member: Membership) -> bool:
    return Role(member.role).is_above(actor.role)


def _is_last_owner(member: Membership) -> bool:
    owners = Membership.objects.filter(team=member.team_id, role=Role.OWNER)
    return member.role == Role.OWNER and not owners.exclude(pk=member.pk).exists()


def _remove(by: Principal, member: Membership | None, act: Act) -> MembershipChange:
    if member is None:
        return MembershipChange.MISSING
    if _is_last_owner(member):
        return MembershipChange.LAST_OWNER
    _withdraw_invitations(member)
    note(by, member.team_id, act, "" if act is Act.LEFT else _name(member))
    member.delete()
    return MembershipChange.DONE


def _name(member: Membership) -> str:
    return name_of_user(member.user)


def _withdraw_invitations(member: Membership) -> None:
    # An invitation ends when its maker may no longer give that role.
    made = Invitation.objects.filter(team=member.team_id, made_by=member.user_id, used_at=None)
    made.filter(withdrawn_at=None).update(withdrawn_at=timezone.now())
