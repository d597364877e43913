"""The page of a capture's every split: requests it, shows how far it is and what it found."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.annotation import capture_exists
from inspector.archive.background.split_status import (
    SplitStatus,
    request_splits,
    split_status,
)
from inspector.archive.inspection.capture_tasks import TooManyTasks
from inspector.dashboard.capture.page.task_progress import CONFLICT, too_many_sentence
from inspector.dashboard.capture.splits.splits_page import (
    button_words,
    progress_of,
    splits_display,
)
from inspector.dashboard.capture.views import opened_of
from inspector.dashboard.page_auth import login_required, render_page
from inspector.teams.access import INGEST, Principal

POLL_MS = 1_000


@login_required
def splits(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    """A script that polls gets the part that changes alone."""
    if request.method == "POST":
        return _requested(request, principal, capture_id)
    return _render(request, principal, capture_id)


def _requested(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponseBase:
    found = request_splits(principal, capture_id)
    if found is None:
        raise Http404
    if isinstance(found, TooManyTasks):
        refused = too_many_sentence(found)
        return _render(request, principal, capture_id, CONFLICT, refused)
    return redirect("dashboard:splits", capture_id)


def _render(
    request: HttpRequest,
    principal: Principal,
    capture_id: UUID,
    status: int = 200,
    refused: str = "",
) -> HttpResponse:
    found = split_status(principal, capture_id)
    if found is None:
        raise Http404
    context = {
        "capture_id": capture_id,
        "poll_ms": POLL_MS,
        "may_request": capture_exists(principal, capture_id, INGEST),
        "button": button_words(found),
        **_context(capture_id, found),
    }
    if request.headers.get("HX-Request"):
        return render_page(request, "dashboard/capture/splits_part.html", context)
    capture = opened_of(principal, capture_id)
    capture.require_body()
    context |= {
        "facts": capture,
        "row": capture.row,
        "team": capture.team_slug,
        "refused": refused,
    }
    return render_page(request, "dashboard/capture/splits_page.html", context, status)


def _context(capture_id: UUID, status: SplitStatus) -> dict[str, object]:
    return {
        "status": status,
        "progress": progress_of(status) if status.is_open else None,
        "display": splits_display(capture_id, status.result) if status.result else None,
    }
