"""A team's page: members, invitations, API keys."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from inspector.dashboard.connect.panel import connect_panel
from inspector.dashboard.pages import login_required, render_page, team_context
from inspector.dashboard.people.forms import (
    MAX_STREAMS_OF_A_KEY,
    InvitationForm,
    KeyForm,
    RoleForm,
    StreamsForm,
    TeamNameForm,
)
from inspector.teams import invitations, keys, members, queries
from inspector.teams.access import CAPTURE, INGEST, MANAGE, OWN, Principal, TeamAccess
from inspector.teams.members import MembershipChange, grantable
from inspector.teams.models import Role
from inspector.teams.queries import TeamMember

LAST_OWNER = "A team needs an owner: make somebody else an owner first."
NO_ROLE = "Unknown role."
BRINGS = frozenset({CAPTURE, INGEST})
"""Scopes with which captures come."""
NO_LIMIT = f"A key may have 1 to {MAX_STREAMS_OF_A_KEY} calls open at once."


@dataclass(frozen=True, slots=True)
class TeamMemberRow:
    member: TeamMember
    roles: tuple[Role, ...]
    """Roles the user may assign to this member; empty if none."""


@login_required
def team(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    return render_team_page(request, principal, team)


@login_required
def rename_team(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    form = TeamNameForm(request.POST)
    if not form.is_valid():
        return render_team_page(request, principal, team, status=422, name_form=form)
    members.rename_team(principal, access_of(principal, team), form.cleaned_data["name"])
    return redirect("dashboard:team", team)


@login_required
def leave_team(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    assert principal.user_id is not None
    change = members.leave(principal, access_of(principal, team), principal.user_id)
    return member_change_response(request, principal, team, change, left=True)


@login_required
def change_member_role(
    request: HttpRequest, principal: Principal, team: str, member: int
) -> HttpResponse:
    form = RoleForm(Role, request.POST)
    if not form.is_valid():
        return render_team_page(request, principal, team, status=422, refusal=NO_ROLE)
    change = members.change_role(principal, access_of(principal, team), member, form.requested_role)
    return member_change_response(request, principal, team, change)


@login_required
def remove_member(
    request: HttpRequest, principal: Principal, team: str, member: int
) -> HttpResponse:
    change = members.remove(principal, access_of(principal, team), member)
    return member_change_response(request, principal, team, change)


@login_required
def invite_member(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Create an invitation and show its link once, in this response."""
    access = access_of(principal, team)
    form = InvitationForm(grantable(access), request.POST)
    if not form.is_valid():
        return render_team_page(request, principal, team, status=422, invitation_form=form)
    path = invitations.invite(principal, access, form.requested_role, form.life)
    if path is None:
        raise PermissionDenied
    return render_team_page(request, principal, team, invitation_link=f"{settings.ORIGIN}{path}")


@login_required
def withdraw_invitation(
    request: HttpRequest, principal: Principal, team: str, invitation: int
) -> HttpResponse:
    if not invitations.withdraw(principal, access_of(principal, team), invitation):
        raise Http404
    return redirect("dashboard:team", team)


@login_required
def create_key(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Create an API key and show it once, in this response."""
    form = KeyForm(request.POST)
    if not form.is_valid():
        return render_team_page(request, principal, team, status=422, key_form=form)
    expires_at = timezone.now() + form.life if form.life else None
    fields = form.cleaned_data
    access = access_of(principal, team)
    plain = keys.new_key(principal, access, fields["name"], fields["scopes"], expires_at)
    panel = connect_panel(principal, team, key=plain) if CAPTURE in fields["scopes"] else None
    return render_team_page(
        request,
        principal,
        team,
        new_key=plain,
        key_id=keys.id_of(plain),
        panel=panel,
        is_awaited=bool(BRINGS.intersection(fields["scopes"])),
    )


@login_required
def revoke_key(request: HttpRequest, principal: Principal, team: str, key: int) -> HttpResponse:
    if not keys.revoke_by_id(principal, access_of(principal, team), key):
        raise Http404
    return redirect("dashboard:team", team)


@login_required
def pause_key(request: HttpRequest, principal: Principal, team: str, key: int) -> HttpResponse:
    """Pause a key that captures (``paused=yes``), or resumes it."""
    is_paused = request.POST.get("paused") == "yes"
    if not keys.pause_by_id(principal, access_of(principal, team), key, is_paused):
        raise Http404
    return redirect("dashboard:team", team)


@login_required
def limit_key(request: HttpRequest, principal: Principal, team: str, key: int) -> HttpResponse:
    form = StreamsForm(request.POST)
    if not form.is_valid():
        return render_team_page(request, principal, team, status=422, refusal=NO_LIMIT)
    limit = form.cleaned_data["max_streams"]
    if not keys.limit_streams_by_id(principal, access_of(principal, team), key, limit):
        raise Http404
    return redirect("dashboard:team", team)


def render_team_page(
    request: HttpRequest, principal: Principal, slug: str, status: int = 200, **more: Any
) -> HttpResponse:
    access, door = access_of(principal, slug), queries.for_principal(principal)
    context = {
        **team_context(principal, slug),
        "access": access,
        "may_manage": MANAGE in access.scopes,
        "may_own": OWN in access.scopes,
        "members": [member_row(access, member) for member in door.members(slug)],
        "invitations": door.invitations(slug),
        "keys": door.keys(slug),
        "name_form": TeamNameForm(initial={"name": access.name}),
        "invitation_form": InvitationForm(grantable(access), initial={"role": Role.MEMBER}),
        "key_form": KeyForm(),
        **more,
    }
    return render_page(request, "dashboard/people/team.html", context, status)


def member_row(access: TeamAccess, member: TeamMember) -> TeamMemberRow:
    may = MANAGE in access.scopes and not Role(member.role).is_above(access.role)
    return TeamMemberRow(member, grantable(access) if may else ())


def member_change_response(
    request: HttpRequest,
    principal: Principal,
    slug: str,
    change: MembershipChange,
    left: bool = False,
) -> HttpResponse:
    if change is MembershipChange.MISSING:
        raise Http404
    if change is MembershipChange.ABOVE:
        raise PermissionDenied
    if change is MembershipChange.LAST_OWNER:
        return render_team_page(request, principal, slug, status=409, refusal=LAST_OWNER)
    return redirect("dashboard:account") if left else redirect("dashboard:team", slug)


def access_of(principal: Principal, slug: str) -> TeamAccess:
    access = principal.team(slug)
    if access is None:
        raise Http404
    return access
