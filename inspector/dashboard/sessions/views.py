"""The list of sessions, one session, and the way from a capture to its session."""

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive.listing.cursor import BadCursor
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.dashboard.sessions.drawing import call_axis, fill_chart
from inspector.dashboard.sessions.page import (
    about_cache,
    call_of,
    chosen_turn,
    first_of_page,
    headline,
    largest_additions,
    missed_calls,
    most_expensive,
    turn_cells,
)
from inspector.sessions import queries
from inspector.sessions.queries import PAGE_TURNS
from inspector.teams.access import Principal


@login_required
def sessions(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    before = request.GET.get("before")
    try:
        found = queries.for_principal(principal_in_team(principal, team)).page(before)
    except BadCursor as error:
        raise Http404 from error
    context = {
        **team_context(principal, team),
        "rows": found.rows,
        "older": found.older,
        "first_page": before is None,
    }
    return render_page(request, "dashboard/sessions/list.html", context)


@login_required
def session(request: HttpRequest, principal: Principal, team: str, session: UUID) -> HttpResponse:
    door = queries.for_principal(principal_in_team(principal, team))
    asked = _number(request.GET.get("call", ""))
    first = first_of_page(asked) if asked else _number(request.GET.get("first", "")) or 1
    page = door.one(session, first)
    if page is None:
        raise Http404
    chosen = call_of(page.turns, asked) or most_expensive(page.turns)
    cells = tuple(turn_cells(page, chosen))
    outline = door.outline(session, chosen) if chosen else None
    last = page.first + len(page.turns) - 1
    context = {
        **team_context(principal, team),
        "session": page.row,
        "headline": headline(page),
        "about_cache": about_cache(page),
        "missed": missed_calls(page),
        "additions": largest_additions(page),
        "axis": call_axis(page.turns),
        "fill": fill_chart(page.turns),
        "turns": cells,
        "chosen": chosen_turn(page, cells, chosen, outline),
        "has_threads": any(each.thread > 1 for each in cells),
        "first": page.first,
        "last": last,
        "earlier": max(1, page.first - PAGE_TURNS) if page.first > 1 else None,
        "later": last + 1 if last < page.row.turns else None,
    }
    return render_page(request, "dashboard/sessions/page.html", context)


@login_required
def session_of_capture(
    request: HttpRequest, principal: Principal, capture_id: UUID
) -> HttpResponse:
    found = queries.for_principal(principal).of_capture(capture_id)
    if found is None:
        raise Http404
    team, session_id, number = found
    there = reverse("dashboard:session", args=[team, session_id])
    return redirect(f"{there}?call={number}#call")


def _number(text: str) -> int | None:
    """None of what is no number of a call."""
    return (int(text) or None) if text.isascii() and text.isdigit() and len(text) < 10 else None
