"""Answers the requests that the palette of every page makes while somebody types."""

from django.http import HttpRequest, HttpResponse, QueryDict

from inspector.archive import queries, saved_views
from inspector.dashboard.archive.filter_bar import BEFORE, build_filter_bar
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL
from inspector.dashboard.pages import login_required, principal_in_team, render_page
from inspector.dashboard.palette.entries import palette_groups, text_search
from inspector.teams.access import Principal

TEXT_CHARACTERS = 200
"""It is asked while somebody types: a line of words, a name or an id."""
LIST_CHARACTERS = 8_000
"""The query of the page's list, as long as nginx takes an address."""


@login_required
def palette(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Entries for the text in ``q``; ``list`` is the query of the list that the page shows."""
    within = principal_in_team(principal, team)
    text = request.GET.get("q", "").strip()[:TEXT_CHARACTERS]
    shown = QueryDict(request.GET.get("list", "")[:LIST_CHARACTERS])
    groups = palette_groups(
        team,
        text,
        queries.for_principal(within),
        saved_views.for_principal(within).all(),
        build_filter_bar(shown, [BEFORE, TAIL, *LAYOUT_PARAMS]),
    )
    context = {"groups": groups, "search": text_search(team, text) if text else None}
    return render_page(request, "dashboard/palette/entries.html", context)
