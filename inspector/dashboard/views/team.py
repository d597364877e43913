"""A team's page: who belongs to it, who is invited, which keys open it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.forms import InvitationForm, KeyForm, RoleForm, TeamNameForm
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.views.archive import team_context
from inspector.teams import invitations, keys, members, queries
from inspector.teams.access import MANAGE, OWN, Principal, TeamAccess
from inspector.teams.audit import KEPT
from inspector.teams.members import Change, grantable
from inspector.teams.models import Role
from inspector.teams.queries import Member

NOT_TAKEN = 422
CONFLICT = 409
LAST_OWNER = "A team needs an owner: make somebody else an owner first."
NO_ROLE = "Unknown role."


@dataclass(frozen=True, slots=True)
class ShownMember:
    member: Member
    roles: tuple[Role, ...]
    """What their role may be changed to by whoever looks; none where it may not."""


@signed_in
def team(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    return shown(request, principal, team)


@signed_in
def name(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    form = TeamNameForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, name_form=form)
    members.rename_team(principal, access_of(principal, team), form.cleaned_data["name"])
    return redirect("dashboard:team", team)


@signed_in
def leave(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    assert principal.user_id is not None
    change = members.leave(principal, access_of(principal, team), principal.user_id)
    return after(request, principal, team, change, left=True)


@signed_in
def member_role(
    request: HttpRequest, principal: Principal, team: str, member: int
) -> HttpResponseBase:
    form = RoleForm(Role, request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, refusal=NO_ROLE)
    change = members.change_role(principal, access_of(principal, team), member, form.role_asked)
    return after(request, principal, team, change)


@signed_in
def member_remove(
    request: HttpRequest, principal: Principal, team: str, member: int
) -> HttpResponseBase:
    change = members.remove(principal, access_of(principal, team), member)
    return after(request, principal, team, change)


@signed_in
def invite(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The link is shown in this answer and never again."""
    access = access_of(principal, team)
    form = InvitationForm(grantable(access), request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, invitation_form=form)
    path = invitations.invite(principal, access, form.role_asked, form.life)
    if path is None:
        raise PermissionDenied
    return shown(request, principal, team, invitation_link=f"{settings.ORIGIN}{path}")


@signed_in
def invitation_withdraw(
    request: HttpRequest, principal: Principal, team: str, invitation: int
) -> HttpResponseBase:
    if not invitations.withdraw(principal, access_of(principal, team), invitation):
        raise Http404
    return redirect("dashboard:team", team)


@signed_in
def new_key(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """The key is shown in this answer and never again."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, team, NOT_TAKEN, key_form=form)
    expires_at = timezone.now() + form.life if form.life else None
    asked = form.cleaned_data
    access = access_of(principal, team)
    plain = keys.new_key(principal, access, asked["name"], asked["scopes"], expires_at)
    return shown(request, principal, team, new_key=plain)


@signed_in
def key_revoke(request: HttpRequest, principal: Principal, team: str, key: int) -> HttpResponseBase:
    if not keys.revoke_by_id(principal, access_of(principal, team), key):
        raise Http404
    return redirect("dashboard:team", team)


@signed_in
def audit(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Who did what; an address that names no place among them begins with the newest."""
    before = whole_number(request.GET.get("before", ""))
    trail = queries.for_principal(principal).trail(team, before)
    context = {**team_context(principal, team), "trail": trail, "is_newest": before is None}
    return answer(request, "dashboard/audit.html", {**context, "kept_days": KEPT.days})


def shown(
    request: HttpRequest, principal: Principal, slug: str, status: int = 200, **more: Any
) -> HttpResponse:
    access, door = access_of(principal, slug), queries.for_principal(principal)
    context = {
        **team_context(principal, slug),
        "access": access,
        "may_manage": MANAGE in access.scopes,
        "may_own": OWN in access.scopes,
        "members": [shown_member(access, member) for member in door.members(slug)],
        "invitations": door.invitations(slug),
        "keys": door.keys(slug),
        "name_form": TeamNameForm(initial={"name": access.name}),
        "invitation_form": InvitationForm(grantable(access), initial={"role": Role.MEMBER}),
        "key_form": KeyForm(),
        **more,
    }
    return answer(request, "dashboard/team.html", context, status)


def shown_member(access: TeamAccess, member: Member) -> ShownMember:
    may = MANAGE in access.scopes and not Role(member.role).is_above(access.role)
    return ShownMember(member, grantable(access) if may else ())


def after(
    request: HttpRequest,
    principal: Principal,
    slug: str,
    change: Change,
    left: bool = False,
) -> HttpResponseBase:
    if change is Change.MISSING:
        raise Http404
    if change is Change.ABOVE:
        raise PermissionDenied
    if change is Change.LAST_OWNER:
        return shown(request, principal, slug, CONFLICT, refusal=LAST_OWNER)
    return redirect("dashboard:account") if left else redirect("dashboard:team", slug)


def access_of(principal: Principal, slug: str) -> TeamAccess:
    access = principal.team(slug)
    if access is None:
        raise Http404
    return access
