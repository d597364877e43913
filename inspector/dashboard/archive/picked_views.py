"""Rows that were picked by hand, as the query that names them: what can be done with all captures
of a query can then be done with these, on the same pages.
"""

from collections.abc import Sequence
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inspector.dashboard.archive.live import parse_uuids
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.formatting.humanize import plural
from inspector.query.parsed_query import text_query
from inspector.query.resolve import MAX_VALUES
from inspector.teams.access import Principal

MAX_PICKED = 50
"""Ids of more do not fit into a query."""
PAGES = {
    "export": "dashboard:exports",
    "share": "dashboard:share-list",
    "delete": "dashboard:bulk-deletion",
}


@login_required
def act_on_picked(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Lead to the page on which the picked captures are exported, shared or deleted (``then``)."""
    within, page = principal_in_team(principal, team), PAGES.get(request.POST.get("then", ""))
    sent = request.POST.getlist("capture")
    picked = parse_uuids(dict.fromkeys(sent), MAX_PICKED)
    by_script = bool(request.headers.get("HX-Request"))
    if refused := _refusal(len(set(sent)), len(picked), page):
        return _refused(request, within, team, refused, by_script)
    url = f"{reverse(str(page), args=[team])}?{text_query(query_of(picked))}"
    return HttpResponse(headers={"HX-Redirect": url}) if by_script else redirect(url)


def query_of(picked: Sequence[UUID]) -> str:
    """``id:a,b or id:c,d``: in one list there are only so many values."""
    lists = (picked[at : at + MAX_VALUES] for at in range(0, len(picked), MAX_VALUES))
    return " or ".join("id:" + ",".join(each.hex for each in some) for some in lists)


def _refusal(sent: int, picked: int, page: str | None) -> str:
    if not picked or page is None:
        return "No capture was selected."
    if sent > MAX_PICKED:
        most = plural(MAX_PICKED, "capture")
        return f"Up to {most} can be picked by hand; {sent} were. A query takes any number."
    return ""


def _refused(
    request: HttpRequest, within: Principal, team: str, sentence: str, by_script: bool
) -> HttpResponse:
    context = {**team_context(within, team), "sentence": sentence}
    if by_script:
        return render_page(request, "dashboard/archive/tag_result.html", context)
    return render_page(request, "dashboard/archive/picked_page.html", context, status=422)
