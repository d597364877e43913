"""The light beside a new key: whether something came with it already."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponseBase

from inspector.archive import queries
from inspector.dashboard.page_auth import login_required, principal_in_team, render_page
from inspector.teams.access import Principal


@login_required
def key_arrival(
    request: HttpRequest, principal: Principal, team: str, key: int
) -> HttpResponseBase:
    first = queries.for_principal(principal_in_team(principal, team)).first_by_key(key)
    context = {"team": team, "key_id": key, "first": first}
    return render_page(request, "dashboard/connect/arrival.html", context)
