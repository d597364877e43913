"""The archive list: filtered by the query, sorted, paged by cursor; newest first with live updates.

Facet counts and the histogram are fetched after the rows are on screen; selected rows are tagged.
"""

from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone

from inspector.archive import queries, saved_views
from inspector.archive.annotation import TaggingResult, tag_all
from inspector.archive.background import bulk_jobs
from inspector.archive.intake.limits import MAX_TAGS
from inspector.archive.intake.submission import accept
from inspector.archive.listing import search_part
from inspector.archive.listing.capture_values import CaptureList
from inspector.archive.listing.cursor import BadCursor, Cursor
from inspector.archive.listing.filters import NO_FILTERS, Filters
from inspector.archive.listing.sort import NEWEST_FIRST, Sort
from inspector.archive.queries import Captures
from inspector.dashboard.archive.bulk_progress import bulk_progress
from inspector.dashboard.archive.bulk_views import POLL_MS, request_change
from inspector.dashboard.archive.columns import SORT, columns, order_options, order_words
from inspector.dashboard.archive.empty_list import meant_query, unknown_values
from inspector.dashboard.archive.facets import coverage_words, facets_of
from inspector.dashboard.archive.filter_bar import (
    BEFORE,
    FilterBar,
    build_filter_bar,
    query_without_blanks,
)
from inspector.dashboard.archive.histogram import build_histogram
from inspector.dashboard.archive.live import live_update, parse_uuids, paused_update, rows_of
from inspector.dashboard.archive.rows import GONE, account_state_counts, build_rows
from inspector.dashboard.archive.samples import SAMPLES, has_own, has_samples, starts
from inspector.dashboard.archive.snippets import row_snippets
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL, build_tabs, layout_of
from inspector.dashboard.connect.panel import connect_panel
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.database.portability import StatementTimeout
from inspector.formatting.humanize import plural
from inspector.teams.access import DELETE, EXPORT, INGEST, Principal
from inspector.transfer.samples import samples
from inspector.usage.rollup import queries as usage
from inspector.usage.rollup.queries import TeamSums

FAST_POLL_MS = 1000
"""While something runs or waits to be read."""
SLOW_POLL_MS = 2000
"""While nothing is expected; to ask what came since is one query by an index."""
LIVE_PARAMS = ("after", "earlier", "end", "paused", "unfinished", "waiting")
LATE = timedelta(seconds=10)
"""Whoever waits longer is told for how long, and led to the reason."""
# So many captures at most are probably samples and trials.
NEARLY_EMPTY = 100
EMPTY_PAGE = CaptureList((), None, None)


@login_required
def home(request: HttpRequest, principal: Principal) -> HttpResponse:
    if not principal.teams:
        return render_page(request, "dashboard/people/no_team.html", {})
    return redirect("dashboard:archive", team=principal.teams[0].slug)


@login_required
def archive(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    if (query := query_without_blanks(request.GET)) is not None:
        return redirect(archive_url(team, query))
    captures = captures_of_team(principal, team)
    sort = Sort.parse(request.GET.get(SORT, "")) or NEWEST_FIRST
    filter_bar = list_filter_bar(request)
    before = request.GET.get(BEFORE)
    page, waiting, trouble = load_page(captures, filter_bar, before, sort)
    if before is None and page.newest is None and not (trouble or page.rows):
        return render_page(
            request, "dashboard/archive/first_run.html", first_run_context(request, principal, team)
        )
    counts = state_counts_context(captures, filter_bar)
    context = {
        **list_context(principal, team, filter_bar),
        **counts,
        **rows_context(page, usage.for_principal(principal), captures, filter_bar),
        **({} if filter_bar.query else day_one_context(captures, counts["accepted"])),
        **views_context(request, principal, team, filter_bar),
        "waiting": waiting,
        "trouble": trouble,
        "meant": None if page.rows or trouble else meant_query(captures, filter_bar),
        "unknown": () if page.rows else tuple(unknown_values(captures, filter_bar)),
        "older": page.older,
        "end": "" if page.stopped_at else page.older or "",
        "stopped_at": page.stopped_at,
        "part": search_part.PART_CAPTURES,
        "first_page": before is None,
        "live": before is None and sort == NEWEST_FIRST,
        "tail": before is None and sort == NEWEST_FIRST and request.GET.get(TAIL) == "1",
        "is_usual": sort.is_usual,
        "sort": "" if sort == NEWEST_FIRST else str(sort),
        "order": order_words(sort),
        "columns": columns(sort, filter_bar.query),
        "orders": order_options(sort),
    }
    return render_page(request, "dashboard/archive/page.html", context)


@login_required
def live(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Answer with captures that arrived after a cursor, and rows that finished since."""
    captures = captures_of_team(principal, team)
    after = request.GET.get("after")
    if not after:
        first = captures.unfinished().newest is not None
        return HttpResponse(status=204, headers={"HX-Refresh": "true"} if first else {})
    filter_bar = build_filter_bar(request.GET, LIVE_PARAMS)
    end, earlier = request.GET.get("end", ""), request.GET.get("earlier", "")
    context = {
        "team": team,
        "filter_bar": filter_bar,
        "end": end,
        "earlier": int(earlier) if earlier.isdecimal() else 0,
        **state_counts_context(captures, filter_bar),
    }
    waiting = parse_uuids(request.GET.getlist("waiting"))
    try:
        if request.GET.get("paused"):
            context["paused"] = True
            update = paused_update(captures, filter_bar.conditions.filters, after, waiting)
        else:
            sums = usage.for_principal(principal)
            unfinished = parse_uuids(request.GET.getlist("unfinished"))
            update = live_update(
                captures,
                sums,
                filter_bar.conditions.filters,
                after,
                waiting,
                unfinished,
                Cursor.parse(end) if end else None,
            )
            context["earlier"] += update.earlier
    except BadCursor as error:
        raise Http404 from error
    is_busy = update.more or update.growing or any(row.unfinished for row in update.rows)
    poll_ms = FAST_POLL_MS if is_busy else SLOW_POLL_MS
    return render_page(
        request, "dashboard/archive/live.html", {**context, "update": update, "poll_ms": poll_ms}
    )


def load_page(
    captures: Captures, filter_bar: FilterBar, before: str | None, sort: Sort
) -> tuple[CaptureList, tuple[UUID, ...], str]:
    """Return the page, the ids that may still match, and a sentence explaining an empty list."""
    filters = filter_bar.conditions.filters
    if filters == NO_FILTERS and sort == NEWEST_FIRST:
        return page_of(captures, before), (), ""
    # Queried before the page: a capture that arrives between the two queries is reported twice
    # rather than never.
    unfinished = captures.unfinished()
    try:
        page = searched(captures, before, filters, sort)
    except StatementTimeout:
        page, trouble = EMPTY_PAGE, "too long"
    else:
        trouble = ""
    if before is None:
        page = replace(page, newest=unfinished.newest)
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


def page_of(captures: Captures, before: str | None) -> CaptureList:
    try:
        newest = captures.newest_arrival()
        return replace(captures.page(before), newest=newest)
    except BadCursor as error:
        raise Http404 from error


def searched(captures: Captures, before: str | None, filters: Filters, sort: Sort) -> CaptureList:
    try:
        return captures.search(before, filters=filters, sort=sort)
    except BadCursor as error:
        raise Http404 from error


def list_filter_bar(request: HttpRequest) -> FilterBar:
    others = [BEFORE, TAIL, *LAYOUT_PARAMS]
    return build_filter_bar(request.GET, others, layout_of(request.GET))


def archive_url(team: str, query: str) -> str:
    return reverse("dashboard:archive", args=[team]) + (f"?{query}" if query else "")


def list_context(principal: Principal, slug: str, filter_bar: FilterBar) -> dict[str, Any]:
    within = principal.within(slug)
    may_tag = within is not None and within.may(INGEST)
    may_export = within is not None and within.may(EXPORT)
    return {
        **team_context(principal, slug),
        "filter_bar": filter_bar,
        "may_tag": may_tag,
        "may_export": may_export,
        "may_delete": within is not None and within.may(DELETE),
    }


def views_context(
    request: HttpRequest, principal: Principal, slug: str, filter_bar: FilterBar
) -> dict[str, Any]:
    """Return the tabs, not yet counted, and the change to many captures that the person
    waits for.
    """
    within = principal_in_team(principal, slug)
    views, job = saved_views.for_principal(within).all(), bulk_jobs.open_bulk_job(within)
    return {
        "tabs": build_tabs(views, filter_bar.conditions, layout_of(request.GET)),
        "progress": bulk_progress(job) if job else None,
        "bulk_poll_ms": POLL_MS,
    }


def first_run_context(request: HttpRequest, principal: Principal, slug: str) -> dict[str, Any]:
    origin = request.build_absolute_uri("/").rstrip("/")
    return {
        **team_context(principal, slug),
        "origin": origin,
        "panel": connect_panel(principal, slug),
        "may_load": principal_in_team(principal, slug).may(INGEST),
    }


@login_required
def load_samples(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Store the samples in an archive that has none, and redirect to its list."""
    within = principal_in_team(principal, team)
    if not has_samples(captures_of_team(principal, team)):
        for each in samples():
            accept(within, each)
    return redirect("dashboard:archive", team)


def day_one_context(captures: Captures, accepted: int) -> dict[str, Any]:
    """Where to begin, in an archive that holds nothing but samples."""
    if not 0 < accepted <= NEARLY_EMPTY or has_own(captures):
        return {}
    return {"is_day_one": True, "starts": starts(captures), "samples": SAMPLES}


def state_counts_context(captures: Captures, filter_bar: FilterBar) -> dict[str, Any]:
    """Return the captures by state. What is deleted may have matched a query or not."""
    accepted, terms = account_state_counts(captures.state_counts())
    (analysed, waiting, *unusual) = terms
    oldest = captures.oldest_waiting() if waiting.number else None
    is_late = oldest is not None and timezone.now() - oldest > LATE
    return {
        "accepted": accepted,
        "waits": waiting.number,
        "oldest": oldest if is_late else None,
        "unusual": [
            term for term in unusual if term.number and not (filter_bar.query and term.name == GONE)
        ],
    }


def rows_context(
    page: CaptureList, sums: TeamSums, captures: Captures, filter_bar: FilterBar
) -> dict[str, Any]:
    snippets = row_snippets(page.rows, filter_bar.conditions.filters)
    rows = build_rows(page.rows, sums, captures, snippets)
    waits = any(row.unfinished for row in rows)
    return {"rows": rows, "newest": page.newest, "poll_ms": FAST_POLL_MS if waits else SLOW_POLL_MS}


@login_required
def facet_counts(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Answer with facets and histogram as a fragment; without scripts, as a page of their own."""
    filter_bar, captures = list_filter_bar(request), captures_of_team(principal, team)
    context = {
        **list_context(principal, team, filter_bar),
        **counts_context(captures, filter_bar),
        "samples": SAMPLES if has_samples(captures) else "",
    }
    template = "counts" if request.headers.get("HX-Request") else "counts_page"
    return render_page(request, f"dashboard/archive/{template}.html", context)


def counts_context(captures: Captures, filter_bar: FilterBar) -> dict[str, Any]:
    try:
        counts = captures.counts(filter_bar.conditions.filters, timezone.now())
    except StatementTimeout:
        return {"too_long": True}
    return {
        "counts": counts,
        "facets": facets_of(counts, filter_bar),
        "strip": build_histogram(counts, filter_bar),
        "coverage": coverage_words(counts),
    }


NO_TAG = "A tag cannot be empty."
NONE_CHOSEN = "No capture was selected."


@login_required
def tag_selected(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Tags the selected captures or all of the query; without scripts, redirects to the list."""
    within = principal.within(team)
    assert within is not None, "the table asked for the team"
    filter_bar = list_filter_bar(request)
    if request.POST.get("every"):
        word, add = request.POST.get("tag", "").strip(), request.POST.get("act") != "remove"
        return request_change(request, within, team, filter_bar, word, add)
    ids, word = parse_uuids(request.POST.getlist("capture")), request.POST.get("tag", "").strip()
    add = request.POST.get("act") != "remove"
    done = tag_all(within, ids, word, add=add) if ids and word else None
    if not request.headers.get("HX-Request"):
        return redirect(archive_url(team, request.GET.urlencode(safe=":,")))
    captures = queries.for_principal(within)
    changed = rows_of(captures, done.changed if done else (), NO_FILTERS)
    snippets = row_snippets(changed, filter_bar.conditions.filters)
    context = {
        "team": team,
        "filter_bar": filter_bar,
        "rows": build_rows(changed, usage.for_principal(within), captures, snippets),
        "sentence": tagging_sentence(done, word, add) if done else NO_TAG if ids else NONE_CHOSEN,
    }
    return render_page(request, "dashboard/archive/tag_result.html", context)


def tagging_sentence(done: TaggingResult, tag: str, add: bool) -> str:
    number = plural(len(done.changed), "capture")
    text = f"{number} tagged {tag}." if add else f"{tag} removed from {number}."
    if done.full:
        text += f" {plural(done.full, 'capture')} had {MAX_TAGS} tags already."
    return text
