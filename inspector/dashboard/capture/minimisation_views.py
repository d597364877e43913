"""Minimising a capture for a finding: requested in the finding's row, followed there or on the page
of all minimisations of the capture.
"""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.annotation import capture_exists
from inspector.archive.background.minimisation_status import (
    MinimisationAnswer,
    NothingToMinimise,
    minimisation_statuses,
    request_minimisation,
)
from inspector.archive.inspection.capture_tasks import TooManyTasks
from inspector.dashboard.capture.minimisation.minimisation_page import display_of, displays_of
from inspector.dashboard.capture.page.task_progress import CONFLICT, too_many_sentence
from inspector.dashboard.capture.views import opened_of
from inspector.dashboard.page_auth import login_required, render_page
from inspector.teams.access import INGEST, Principal

REFUSED = 422
NO_FINDING = "The capture has no finding {} there."
NO_EXAMPLE = "No body can be an example of {}: it is about the connection or the size."


@login_required
def minimisations(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """A script gets the part of one finding alone."""
    if request.method == "POST":
        return _requested(request, principal, capture_id)
    if request.headers.get("HX-Request"):
        code, pointer = request.GET.get("code", ""), request.GET.get("pointer")
        return _part(request, principal, capture_id, code, pointer)
    return _page(request, principal, capture_id)


def _requested(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    code, pointer = request.POST.get("code", ""), request.POST.get("pointer")
    found = request_minimisation(principal, capture_id, code, pointer)
    if found is None:
        raise Http404
    status, refused = _refusal(found)
    if request.headers.get("HX-Request"):
        # With an error for its status a script would not show it.
        return _part(request, principal, capture_id, code, pointer, refused)
    if refused:
        return _page(request, principal, capture_id, status, refused)
    return redirect("dashboard:minimisations", capture_id)


def _refusal(found: MinimisationAnswer) -> tuple[int, str]:
    """Status and sentence; no sentence where nothing is refused."""
    if isinstance(found, TooManyTasks):
        return CONFLICT, too_many_sentence(found)
    if isinstance(found, NothingToMinimise):
        words = NO_EXAMPLE if found.has_finding else NO_FINDING
        return REFUSED, words.format(found.code)
    return 200, ""


def _part(
    request: HttpRequest,
    principal: Principal,
    capture_id: UUID,
    code: str,
    pointer: str | None,
    refused: str = "",
) -> HttpResponse:
    found = minimisation_statuses(principal, capture_id)
    if found is None:
        raise Http404
    context = {
        "capture_id": capture_id,
        "each": display_of(found, code, pointer),
        "may_minimise": capture_exists(principal, capture_id, INGEST),
        "refused": refused,
    }
    return render_page(request, "dashboard/capture/minimisation_part.html", context)


def _page(
    request: HttpRequest,
    principal: Principal,
    capture_id: UUID,
    status: int = 200,
    refused: str = "",
) -> HttpResponse:
    found = minimisation_statuses(principal, capture_id)
    if found is None:
        raise Http404
    capture = opened_of(principal, capture_id)
    capture.require_body()
    context = {
        "capture_id": capture_id,
        "minimisations": displays_of(found),
        "may_minimise": capture_exists(principal, capture_id, INGEST),
        "facts": capture,
        "row": capture.row,
        "team": capture.team_slug,
        "page_refused": refused,
    }
    return render_page(request, "dashboard/capture/minimisation_page.html", context, status)
