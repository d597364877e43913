"""The archive: newest first, narrowed by its address, a page at a time, and what came since."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive import queries
from inspector.archive.cursor import BadCursor
from inspector.archive.database import TookTooLong, time_limit
from inspector.archive.filters import ALL, Filters
from inspector.archive.queries import Captures
from inspector.archive.values import CaptureList
from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.live import arrived, held, uuids
from inspector.dashboard.narrowed import BEFORE, Narrowed, narrowed_by, without_blanks
from inspector.dashboard.rows import account_terms, shown_rows
from inspector.teams.access import INGEST, Principal
from inspector.usage import queries as usage
from inspector.usage.queries import TeamSums

FAST_MS = 1000
CALM_MS = 2000
LIMIT_MILLISECONDS = 2_000
LIVE_NAMES = ("after", "hold", "unfinished", "waiting")
NOTHING = CaptureList((), None, None)


@signed_in
def home(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    if not principal.teams:
        return answer(request, "dashboard/no_team.html", {})
    return redirect("dashboard:archive", team=principal.teams[0].slug)


@signed_in
def archive(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    if (query := without_blanks(request.GET)) is not None:
        return redirect(archive_url(team, query))
    captures = captures_of(principal, team)
    narrowed = narrowed_by(request.GET, [BEFORE])
    before = request.GET.get(BEFORE)
    page, waiting, trouble = found(captures, narrowed, before)
    if before is None and page.newest is None and not trouble:
        return answer(
            request, "dashboard/first_run.html", first_run_context(request, principal, team)
        )
    context = {
        **list_context(principal, team, narrowed),
        **account_context(captures),
        **rows_context(page, usage.for_principal(principal)),
        "waiting": waiting,
        "trouble": trouble,
        "older": page.older,
        "first_page": before is None,
    }
    return answer(request, "dashboard/archive.html", context)


@signed_in
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """What came after a cursor, and rows that were unfinished when the page was drawn."""
    captures = captures_of(principal, team)
    after = request.GET.get("after")
    if not after:
        first = captures.unfinished().newest is not None
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    narrowed = narrowed_by(request.GET, LIVE_NAMES)
    context = {"team": team, "narrowed": narrowed, **account_context(captures)}
    waiting = uuids(request.GET.getlist("waiting"))
    try:
        if request.GET.get("hold"):
            came = held(captures, narrowed.conditions.filters, after, waiting)
        else:
            sums = usage.for_principal(principal)
            shown = uuids(request.GET.getlist("unfinished"))
            came = arrived(captures, sums, narrowed.conditions.filters, after, waiting, shown)
    except BadCursor as error:
        raise Http404 from error
    poll_ms = FAST_MS if came.more or any(row.unfinished for row in came.rows) else CALM_MS
    return answer(request, "dashboard/live.html", {**context, "came": came, "poll_ms": poll_ms})


def found(
    captures: Captures, narrowed: Narrowed, before: str | None
) -> tuple[CaptureList, tuple[UUID, ...], str]:
    """The page, what may still come to match, and in words why there is nothing."""
    filters = narrowed.conditions.filters
    if filters == ALL:
        return page_of(captures, before), (), ""
    # Before the page, so that what comes between the two is told twice and not never.
    unfinished = captures.unfinished()
    try:
        with time_limit(LIMIT_MILLISECONDS):
            page = page_of(captures, before, filters)
    except TookTooLong:
        page, trouble = NOTHING, "too long"
    else:
        trouble = ""
    if before is None:
        page = CaptureList(page.rows, page.older, unfinished.newest)
    shown = {row.id for row in page.rows}
    return page, tuple(id for id in unfinished.ids if id not in shown), trouble


def captures_of(principal: Principal, team: str) -> Captures:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def page_of(captures: Captures, before: str | None, filters: Filters = ALL) -> CaptureList:
    try:
        return captures.page(before, filters=filters)
    except BadCursor as error:
        raise Http404 from error


def archive_url(team: str, query: str) -> str:
    return reverse("dashboard:archive", args=[team]) + (f"?{query}" if query else "")


def team_context(principal: Principal, slug: str) -> dict[str, Any]:
    team = principal.team(slug)
    return {"team": slug, "team_name": team.name if team else slug, "teams": principal.teams}


def list_context(principal: Principal, slug: str, narrowed: Narrowed) -> dict[str, Any]:
    within = principal.within(slug)
    may_tag = within is not None and within.may(INGEST)
    return {**team_context(principal, slug), "narrowed": narrowed, "may_tag": may_tag}


def first_run_context(request: HttpRequest, principal: Principal, slug: str) -> dict[str, Any]:
    origin = request.build_absolute_uri("/").rstrip("/")
    return {**team_context(principal, slug), "origin": origin}


def account_context(captures: Captures) -> dict[str, Any]:
    accepted, terms = account_terms(captures.account())
    return {"accepted": accepted, "terms": terms}


def rows_context(page: CaptureList, sums: TeamSums) -> dict[str, Any]:
    rows = shown_rows(page.rows, sums)
    waits = any(row.unfinished for row in rows)
    return {"rows": rows, "newest": page.newest, "poll_ms": FAST_MS if waits else CALM_MS}
