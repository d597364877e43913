"""Invitations to a team: each for one person, for some days, and never above its maker's role."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from inspector.teams.access import Principal, TeamAccess
from inspector.teams.accounts import new_person
from inspector.teams.audit import Act, note
from inspector.teams.members import grantable
from inspector.teams.models import Invitation, Membership, Role, User
from inspector.teams.secret import hash_of, new_secret


@dataclass(frozen=True, slots=True)
class InvitationOffer:
    """The content of an invitation, as shown to the holder of its link."""

    team_id: int
    team_slug: str
    team_name: str
    role: str
    made_by: str
    expires_at: datetime


def invite(principal: Principal, actor: TeamAccess, role: Role, life: timedelta) -> str | None:
    """Return the path to open, such as ``/join/<token>/``; None for a role above the maker's."""
    if role not in grantable(actor) or principal.user_id is None:
        return None
    token = new_secret()
    with transaction.atomic():
        Invitation.objects.create(
            team_id=actor.id,
            made_by_id=principal.user_id,
            role=role,
            sha256=hash_of(token),
            expires_at=timezone.now() + life,
        )
        note(principal, actor.id, Act.INVITED, f"as {role}")
    return f"/join/{token}/"


def withdraw(principal: Principal, actor: TeamAccess, invitation_id: int) -> bool:
    """Return False where the team has no such invitation; a used one stays used."""
    found = Invitation.objects.filter(pk=invitation_id, team=actor.id)
    invitation, is_open = found.first(), found.filter(used_at=None, withdrawn_at=None)
    with transaction.atomic():
        if invitation and is_open.update(withdrawn_at=timezone.now()):
            note(principal, actor.id, Act.INVITATION_WITHDRAWN, f"as {invitation.role}")
    return invitation is not None


def find_offer(token: str) -> InvitationOffer | None:
    found = Invitation.objects.filter(
        sha256=hash_of(token), used_at=None, withdrawn_at=None, expires_at__gt=timezone.now()
    )
    invitation = found.select_related("team", "made_by").first()
    return _offer_of(invitation) if invitation else None


def is_member(offer: InvitationOffer, user: User) -> bool:
    return Membership.objects.filter(team=offer.team_id, user=user).exists()


def accept(token: str, user: User, network: str | None = None) -> InvitationOffer | None:
    """Return the team joined; None where the link leads nowhere. A member keeps the role."""
    with transaction.atomic():
        offer = find_offer(token)
        if offer is None:
            return None
        if not is_member(offer, user) and not _joined(token, offer, user, network):
            return None
    return offer


def accept_as_new(
    token: str, name: str, password: str | None, network: str | None = None
) -> User | None:
    """Return a new person in the team. Raises ``IntegrityError`` where the name is taken."""
    with transaction.atomic():
        offer = find_offer(token)
        user = new_person(name, password) if offer else None
        if offer is None or user is None:
            return None
        if not _joined(token, offer, user, network):
            transaction.set_rollback(True)
            return None
    return user


def _joined(token: str, offer: InvitationOffer, user: User, network: str | None) -> bool:
    now = timezone.now()
    link = Invitation.objects.filter(sha256=hash_of(token), withdrawn_at=None)
    # One conditional update, without a join: of two who open a link together one changes a row.
    if link.filter(used_at=None, expires_at__gt=now).update(used_at=now) != 1:
        return False
    Membership.objects.create(team_id=offer.team_id, user=user, role=offer.role)
    joiner, on = Principal(user_id=user.pk, network=network), f"as {offer.role}"
    note(joiner, offer.team_id, Act.JOINED, f"{on}, invited by {offer.made_by}")
    return True


def _offer_of(invitation: Invitation) -> InvitationOffer:
    return InvitationOffer(
        team_id=invitation.team_id,
        team_slug=invitation.team.slug,
        team_name=invitation.team.name,
        role=invitation.role,
        made_by=invitation.made_by.username,
        expires_at=invitation.expires_at,
    )
