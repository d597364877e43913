"""From which sites browsers may vote for a team's responses, and the keys that sign its tokens."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.panels.feedback import button, endpoint_of
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.views.archive import team_context
from inspector.feedback import keys, sites, waiting
from inspector.feedback.sites import MOST, BadOrigin
from inspector.teams.access import Principal

NOT_TAKEN = 422
CONFLICT = 409
NOT_CONFIRMED = "Nothing was revoked: enter the name of the team to confirm."
TOO_MANY = f"A team has at most {MOST} sites."
AT_ONCE = "Somebody else just replaced the key: check it, then try again."


@signed_in
def settings(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    return shown(request, principal, team)


@signed_in
def new_site(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    origin = request.POST.get("origin", "")[:1_000]
    try:
        added = sites.add(within(principal, team), origin)
    except BadOrigin as error:
        return shown(request, principal, team, NOT_TAKEN, origin=origin, bad_origin=str(error))
    if not added:
        return shown(request, principal, team, CONFLICT, origin=origin, bad_origin=TOO_MANY)
    return redirect("dashboard:feedback-settings", team)


@signed_in
def site_remove(
    request: HttpRequest, principal: Principal, team: str, site: int
) -> HttpResponseBase:
    if not sites.remove(within(principal, team), site):
        raise Http404
    return redirect("dashboard:feedback-settings", team)


@signed_in
def rotate(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    return after(request, principal, team, keys.rotate(within(principal, team)))


@signed_in
def revoke(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """All tokens at once, for whoever writes the team's name beside it."""
    if request.POST.get("confirm", "").strip() != team:
        return shown(request, principal, team, NOT_TAKEN, refusal=NOT_CONFIRMED)
    return after(request, principal, team, keys.revoke(within(principal, team)))


@signed_in
def waiting_room(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    change = waiting.open_room if request.POST.get("open") == "yes" else waiting.close_room
    change(within(principal, team))
    return redirect("dashboard:feedback-settings", team)


@signed_in
def waiting_forget(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    forgotten = waiting.forget_all(within(principal, team))
    return shown(request, principal, team, forgotten=plural(forgotten, "vote"))


def after(
    request: HttpRequest, principal: Principal, team: str, key: keys.Key | None
) -> HttpResponseBase:
    if key is None:
        return shown(request, principal, team, CONFLICT, refusal=AT_ONCE)
    return redirect("dashboard:feedback-settings", team)


def shown(
    request: HttpRequest, principal: Principal, team: str, status: int = 200, **more: Any
) -> HttpResponse:
    asker = within(principal, team)
    context = {
        **team_context(principal, team),
        "sites": sites.sites(asker),
        "keys": keys.keys(asker),
        "room": waiting.room_of(asker),
        "most_waiting": waiting.MOST,
        "origin": "",
        "button": button("TOKEN", endpoint_of(team)),
        **more,
    }
    return answer(request, "dashboard/feedback/settings.html", context, status)


def within(principal: Principal, team: str) -> Principal:
    """The asker in this team alone: what they manage elsewhere is not shown here."""
    found = principal.within(team)
    assert found is not None, "the table asked for the team"
    return found
