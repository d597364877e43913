"""Status page of a team's archive: captures by state, backlog, and quarantined captures."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.quarantine import requeue_quarantined
from inspector.archive.status.health import team_health
from inspector.dashboard.page_auth import (
    login_required,
    principal_in_team,
    render_page,
    team_context,
)
from inspector.dashboard.status.health import build_status_page
from inspector.teams.access import INGEST, Principal


@login_required
def status(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    within = principal_in_team(principal, team)
    context = {
        **team_context(principal, team),
        "health": build_status_page(team_health(within)),
        "may_retry": within.may(INGEST),
    }
    return render_page(request, "dashboard/status/page.html", context)


@login_required
def retry_quarantined(
    request: HttpRequest, principal: Principal, team: str, capture_id: UUID
) -> HttpResponseBase:
    if not requeue_quarantined(principal_in_team(principal, team), capture_id):
        raise Http404
    return redirect("dashboard:status", team=team)
