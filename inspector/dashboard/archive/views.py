"""The archive list: newest first, filtered by the query, paged by cursor, with live updates."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from inspector.archive import queries
from inspector.archive.listing.capture_values import CaptureList
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.queries import Captures
from inspector.dashboard.archive.empty_list import unknown_values
from inspector.dashboard.archive.filter_bar import (
    BEFORE,
    FilterBar,
    build_filter_bar,
    query_without_blanks,
)
from inspector.dashboard.archive.live import live_update, parse_uuids, paused_update
from inspector.dashboard.archive.rows import account_state_counts, build_rows
from inspector.dashboard.page_auth import login_required, render_page, team_context
from inspector.database.portability import StatementTimeout, time_limit
from inspector.teams.access import INGEST, Principal
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.queries import TeamSums

FAST_POLL_MS = 1000
SLOW_POLL_MS = 2000
QUERY_TIMEOUT_MS = 2_000
LIVE_PARAMS = ("after", "paused", "unfinished", "waiting")
EMPTY_PAGE = CaptureList((), None, None)


@login_required
def home(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    if not principal.teams:
        return render_page(request, "dashboard/people/no_team.html", {})
    return redirect("dashboard:archive", team=principal.teams[0].slug)


@login_required
def archive(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    if (query := query_without_blanks(request.GET)) is not None:
        return redirect(archive_url(team, query))
    captures = captures_of_team(principal, team)
    filter_bar = build_filter_bar(request.GET, [BEFORE])
    before = request.GET.get(BEFORE)
    page, waiting, trouble = load_page(captures, filter_bar, before)
    if before is None and page.newest is None and not trouble:
        return render_page(
            request, "dashboard/archive/first_run.html", first_run_context(request, principal, team)
        )
    context = {
        **list_context(principal, team, filter_bar),
        **state_counts_context(captures),
        **rows_context(page, usage.for_principal(principal)),
        "waiting": waiting,
        "trouble": trouble,
        "unknown": () if page.rows else tuple(unknown_values(captures, filter_bar)),
        "older": page.older,
        "first_page": before is None,
    }
    return render_page(request, "dashboard/archive/page.html", context)


@login_required
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponseBase:
    """Answers with captures newer than a cursor, and rows that finished since the page was
    rendered.
    """
    captures = captures_of_team(principal, team)
    after = request.GET.get("after")
    if not after:
        first = captures.unfinished().newest is not None
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    filter_bar = build_filter_bar(request.GET, LIVE_PARAMS)
    context = {"team": team, "filter_bar": filter_bar, **state_counts_context(captures)}
    waiting = parse_uuids(request.GET.getlist("waiting"))
    try:
        if request.GET.get("paused"):
            update = paused_update(captures, filter_bar.conditions.filters, after, waiting)
        else:
            sums = usage.for_principal(principal)
            unfinished = parse_uuids(request.GET.getlist("unfinished"))
            update = live_update(
                captures, sums, filter_bar.conditions.filters, after, waiting, unfinished
            )
    except BadCursor as error:
        raise Http404 from error
    poll_ms = (
        FAST_POLL_MS if update.more or any(row.unfinished for row in update.rows) else SLOW_POLL_MS
    )
    return render_page(
        request, "dashboard/archive/live.html", {**context, "update": update, "poll_ms": poll_ms}
    )


def load_page(
    captures: Captures, filter_bar: FilterBar, before: str | None
) -> tuple[CaptureList, tuple[UUID, ...], str]:
    """Returns the page, the ids that may still match, and a sentence explaining an empty list."""
    filters = filter_bar.conditions.filters
    if filters == NO_FILTERS:
        return page_of(captures, before), (), ""
    # Queried before the page: a capture that arrives between the two queries is reported twice
    # rather than never.
    unfinished = captures.unfinished()
    try:
        with time_limit(QUERY_TIMEOUT_MS):
            page = page_of(captures, before, filters)
    except StatementTimeout:
        page, trouble = EMPTY_PAGE, "too long"
    else:
        trouble = ""
    if before is None:
        page = CaptureList(page.rows, page.older, unfinished.newest)
    listed_ids = {row.id for row in page.rows}
    return (
        page,
        tuple(capture_id for capture_id in unfinished.ids if capture_id not in listed_ids),
        trouble,
    )


def captures_of_team(principal: Principal, team: str) -> Captures:
    within = principal.within(team)
    if within is None:
        raise Http404
    return queries.for_principal(within)


def page_of(captures: Captures, before: str | None, filters: Filters = NO_FILTERS) -> CaptureList:
    try:
        return captures.page(before, filters=filters)
    except BadCursor as error:
        raise Http404 from error


def archive_url(team: str, query: str) -> str:
    return reverse("dashboard:archive", args=[team]) + (f"?{query}" if query else "")


def list_context(principal: Principal, slug: str, filter_bar: FilterBar) -> dict[str, Any]:
    within = principal.within(slug)
    may_tag = within is not None and within.may(INGEST)
    return {**team_context(principal, slug), "filter_bar": filter_bar, "may_tag": may_tag}


def first_run_context(request: HttpRequest, principal: Principal, slug: str) -> dict[str, Any]:
    origin = request.build_absolute_uri("/").rstrip("/")
    return {**team_context(principal, slug), "origin": origin}


def state_counts_context(captures: Captures) -> dict[str, Any]:
    accepted, terms = account_state_counts(captures.state_counts())
    return {"accepted": accepted, "terms": terms}


def rows_context(page: CaptureList, sums: TeamSums) -> dict[str, Any]:
    rows = build_rows(page.rows, sums)
    waits = any(row.unfinished for row in rows)
    return {"rows": rows, "newest": page.newest, "poll_ms": FAST_POLL_MS if waits else SLOW_POLL_MS}
