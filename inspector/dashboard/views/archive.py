"""The archive: newest first, a page at a time, and what came since."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive import queries
from inspector.archive.cursor import BadCursor
from inspector.archive.queries import Captures
from inspector.archive.values import CaptureList
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.rows import ShownRow, account_terms, shown_row
from inspector.teams.access import Principal

COUNTED_AHEAD = 200
FAST_MS = 1000
CALM_MS = 2000


@signed_in
def home(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    if not principal.teams:
        return answer(request, "dashboard/no_team.html", {})
    return redirect("dashboard:archive", team=principal.teams[0].slug)


@signed_in
def archive(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    captures = captures_of(principal, team)
    before = request.GET.get("before")
    page = page_of(captures, before=before)
    context = {
        **team_context(principal, team),
        **account_context(captures),
        **rows_context(page),
        "older": page.older,
        "first_page": before is None,
        "origin": request.build_absolute_uri("/").rstrip("/"),
    }
    empty = before is None and not page.rows
    return answer(request, f"dashboard/{'first_run' if empty else 'archive'}.html", context)


@signed_in
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """What came after a cursor, and rows that were unfinished when the page was drawn."""
    captures = captures_of(principal, team)
    after = request.GET.get("after")
    if not after:
        first = bool(captures.page(limit=1).rows)
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    if request.GET.get("hold"):
        return answer(request, "dashboard/live.html", held_context(captures, team, after))
    newer = page_of(captures, after=after)
    context = {
        "team": team,
        **account_context(captures),
        **rows_context(newer),
        "finished": finished_rows(captures, request.GET.getlist("unfinished")),
    }
    return answer(request, "dashboard/live.html", context)


def captures_of(principal: Principal, team: str) -> Captures:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def page_of(
    captures: Captures,
    before: str | None = None,
    after: str | None = None,
    limit: int = queries.PAGE_ROWS,
) -> CaptureList:
    try:
        return captures.page(before, after, limit)
    except BadCursor as error:
        raise Http404 from error


def team_context(principal: Principal, slug: str) -> dict[str, Any]:
    team = principal.team(slug)
    return {"team": slug, "team_name": team.name if team else slug, "teams": principal.teams}


def account_context(captures: Captures) -> dict[str, Any]:
    accepted, terms = account_terms(captures.account())
    return {"accepted": accepted, "terms": terms}


def rows_context(page: CaptureList) -> dict[str, Any]:
    rows = [shown_row(row) for row in page.rows]
    waiting = any(row.unfinished for row in rows)
    return {"rows": rows, "newest": page.newest, "poll_ms": FAST_MS if waiting else CALM_MS}


def held_context(captures: Captures, team: str, after: str) -> dict[str, Any]:
    """While somebody reads further down nothing moves: only the number of newer ones grows."""
    newer = page_of(captures, after=after, limit=COUNTED_AHEAD)
    return {
        "team": team,
        **account_context(captures),
        "newest": after,
        "held": len(newer.rows),
        "held_more": len(newer.rows) == COUNTED_AHEAD,
        "poll_ms": CALM_MS,
    }


def finished_rows(captures: Captures, ids: list[str]) -> list[ShownRow]:
    rows = [shown_row(row) for row in captures.rows(uuids(ids))]
    return [row for row in rows if not row.unfinished]


def uuids(texts: list[str]) -> list[UUID]:
    found: list[UUID] = []
    for text in texts[:COUNTED_AHEAD]:
        try:
            found.append(UUID(text))
        except ValueError:
            continue
    return found
