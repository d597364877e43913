"""Changes to all captures of a query, and their deletion: counted, requested, followed, undone."""

from datetime import datetime
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.dateparse import parse_datetime

from inspector.archive import queries
from inspector.archive.background import bulk_jobs
from inspector.archive.background.bulk_jobs import BulkJobStatus, OtherCount, TooManyBulkJobs
from inspector.archive.listing.capture_fields import ARRIVED_UNTIL
from inspector.archive.models import BulkKind
from inspector.dashboard.archive.bulk_progress import BulkProgress, bulk_progress, count_words
from inspector.dashboard.archive.filter_bar import BEFORE, FilterBar, build_filter_bar
from inspector.dashboard.archive.view_tabs import LAYOUT_PARAMS, TAIL
from inspector.dashboard.pages import login_required, principal_in_team, render_page, team_context
from inspector.formatting.humanize import plural
from inspector.teams.access import INGEST, Principal

POLL_MS = 1_000
"""While a job is under way; a step of it takes about so long."""
RECENT = 50
"""The last ones; what ended long ago is forgotten (`work.run`)."""
NO_TAG = "A tag cannot be empty."
MISTAKEN = "A filter of this list was ignored: correct it before all captures are changed."
OTHER_NUMBER = "The number that was typed is not that of the captures that match now."
TOO_MANY = "{} are under way: try again when some of them are done."


@login_required
def bulk_count(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """How many captures match, and the moment up to which they were counted."""
    within = principal_in_team(principal, team)
    filter_bar = build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])
    bound = bulk_jobs.newest_bound(within)
    number = bulk_jobs.matching(within, filter_bar.conditions, bound)
    context = {
        "number": count_words(number),
        "received_before": bound.isoformat(),
        "is_mistaken": bool(filter_bar.conditions.mistakes),
    }
    return render_page(request, "dashboard/archive/select_all.html", context)


def request_change(
    request: HttpRequest, within: Principal, team: str, filter_bar: FilterBar, tag: str, add: bool
) -> HttpResponse:
    """Request a job; a script gets its progress for the list, others are sent to its page."""
    found = _requested(request, within, filter_bar, tag, add)
    if isinstance(found, str):
        return _refused(request, within, team, found)
    if not request.headers.get("HX-Request"):
        return redirect("dashboard:bulk-job", team, found.id)
    return _fragment(request, team, bulk_progress(found), is_swapped=True)


@login_required
def bulk_deletion(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    """Return a page of its own, on which the number is typed."""
    within = principal_in_team(principal, team)
    filter_bar = build_filter_bar(request.GET, [BEFORE, TAIL, *LAYOUT_PARAMS])
    if request.method != "POST" or filter_bar.conditions.mistakes:
        return _deletion_page(request, within, team, filter_bar)
    found = bulk_jobs.request_bulk_deletion(
        within,
        filter_bar.conditions,
        _number_in(request.POST.get("number", "")),
        _bound_of(request.POST.get("received_before", "")),
    )
    if found is None:
        raise Http404
    if isinstance(found, OtherCount):
        return _deletion_page(request, within, team, filter_bar, OTHER_NUMBER, status=422)
    if isinstance(found, TooManyBulkJobs):
        return _deletion_page(request, within, team, filter_bar, too_many_words(found), status=409)
    return redirect("dashboard:bulk-job", team, found.id)


@login_required
def bulk_list(request: HttpRequest, principal: Principal, team: str) -> HttpResponse:
    jobs = bulk_jobs.recent_bulk_jobs(principal_in_team(principal, team), RECENT)
    return _page(request, principal, team, jobs)


@login_required
def bulk_job(request: HttpRequest, principal: Principal, team: str, job: int) -> HttpResponse:
    found = bulk_jobs.bulk_job(principal_in_team(principal, team), job)
    if found is None:
        raise Http404
    if request.headers.get("HX-Request"):
        return _fragment(request, team, bulk_progress(found), is_polled=True)
    return _page(request, principal, team, (found,))


@login_required
def undo_bulk_job(request: HttpRequest, principal: Principal, team: str, job: int) -> HttpResponse:
    within = principal_in_team(principal, team)
    found = bulk_jobs.request_undo(within, job)
    if found is None:
        raise Http404
    if isinstance(found, TooManyBulkJobs):
        return _refused(request, within, team, too_many_words(found))
    if request.headers.get("HX-Request"):
        return _fragment(request, team, bulk_progress(found))
    return redirect("dashboard:bulk-job", team, found.id)


def _deletion_page(
    request: HttpRequest,
    within: Principal,
    team: str,
    filter_bar: FilterBar,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    captures = queries.for_principal(within)
    bound, mistakes = captures.newest_bound(), filter_bar.conditions.mistakes
    filters = filter_bar.conditions.filters.with_value(ARRIVED_UNTIL, bound)
    context = {
        **team_context(within, team),
        "filter_bar": filter_bar,
        "number": None if mistakes else captures.exact_count(filters),
        "received_before": bound.isoformat(),
        "refused": MISTAKEN if mistakes else refused,
    }
    status = 422 if mistakes else status
    return render_page(request, "dashboard/archive/bulk_deletion.html", context, status)


def _number_in(text: str) -> int:
    """-1 for what is no number, and no count of anything."""
    digits = text.strip().replace(",", "").replace(" ", "")
    # Of any length ``int`` takes its time, and raises from 4,300 digits on.
    return int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 16 else -1


def _requested(
    request: HttpRequest, within: Principal, filter_bar: FilterBar, tag: str, add: bool
) -> BulkJobStatus | str:
    if not tag or filter_bar.conditions.mistakes:
        return MISTAKEN if tag else NO_TAG
    found = bulk_jobs.request_bulk_job(
        within,
        BulkKind.TAG if add else BulkKind.UNTAG,
        tag,
        filter_bar.conditions,
        _bound_of(request.POST.get("received_before", "")),
    )
    if found is None:
        raise Http404
    return too_many_words(found) if isinstance(found, TooManyBulkJobs) else found


def _bound_of(text: str) -> datetime | None:
    try:
        found = parse_datetime(text)
    except ValueError:
        return None
    return found if found is not None and found.tzinfo is not None else None


def too_many_words(refusal: TooManyBulkJobs) -> str:
    return TOO_MANY.format(plural(refusal.limit, "change"))


def _refused(request: HttpRequest, within: Principal, team: str, why: str) -> HttpResponse:
    if request.headers.get("HX-Request"):
        context: dict[str, Any] = {"team": team, "rows": (), "sentence": why}
        return render_page(request, "dashboard/archive/tag_result.html", context)
    jobs = bulk_jobs.recent_bulk_jobs(within, RECENT)
    status = 422 if why in (NO_TAG, MISTAKEN) else 409
    return _page(request, within, team, jobs, why, status)


def _fragment(
    request: HttpRequest, team: str, progress: BulkProgress, **more: bool
) -> HttpResponse:
    context = {"team": team, "progress": progress, "may_tag": True, "bulk_poll_ms": POLL_MS, **more}
    return render_page(request, "dashboard/archive/bulk.html", context)


def _page(
    request: HttpRequest,
    principal: Principal,
    team: str,
    jobs: tuple[BulkJobStatus, ...],
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    actions = {job.action for job in jobs}
    context = {
        **team_context(principal, team),
        "jobs": [bulk_progress(job) for job in jobs],
        "has_tags": not actions.isdisjoint({BulkKind.TAG, BulkKind.UNTAG}),
        "has_deletions": BulkKind.DELETE in actions,
        "bulk_poll_ms": POLL_MS if any(job.is_open for job in jobs) else 0,
        "may_tag": principal_in_team(principal, team).may(INGEST),
        "refused": refused,
    }
    return render_page(request, "dashboard/archive/bulk_page.html", context, status)
