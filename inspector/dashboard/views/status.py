"""How a team's archive is doing: an account that balances, what waits, and what was given up."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.retry import retry
from inspector.archive.standing import standing
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.standing import shown_standing
from inspector.dashboard.views.archive import team_context
from inspector.teams.access import INGEST, Principal


@signed_in
def status(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    within = within_team(principal, team)
    context = {
        **team_context(principal, team),
        "shown": shown_standing(standing(within)),
        "may_retry": within.may(INGEST),
    }
    return answer(request, "dashboard/team_status.html", context)


@signed_in
def retry_one(request: HttpRequest, principal: Principal, team: str, id: UUID) -> HttpResponseBase:
    if not retry(within_team(principal, team), id):
        raise Http404
    return redirect("dashboard:status", team=team)


def within_team(principal: Principal, team: str) -> Principal:
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    return within
