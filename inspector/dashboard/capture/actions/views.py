"""Forms on the page of a capture: tags and note, deletion with its receipt, feedback tokens."""

from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.archive.annotation import annotate, capture_exists, lock_capture
from inspector.archive.deletion import delete
from inspector.dashboard.capture.actions.forms import NoteForm, TagsForm
from inspector.dashboard.capture.page.loading import opened_of
from inspector.dashboard.capture.views import render_capture_page
from inspector.dashboard.pages import login_required, render_page
from inspector.dashboard.text.disk_erasure import DISK_ERASURE_WORDS
from inspector.teams.access import DELETE, Principal

NOT_TAKEN = 422


@login_required
def tags(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    require_visible(principal, capture_id)
    form = TagsForm(request.POST)
    if not form.is_valid():
        return render_capture_page(request, principal, capture_id, NOT_TAKEN, tags_form=form)
    return save_annotation(principal, capture_id, tags=form.cleaned_data["tags"])


@login_required
def note(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    require_visible(principal, capture_id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return render_capture_page(request, principal, capture_id, NOT_TAKEN, note_form=form)
    return save_annotation(principal, capture_id, note=form.cleaned_data["note"])


def require_visible(principal: Principal, capture_id: UUID) -> None:
    # Checked before the form is validated: captures of other teams answer 404 to valid and invalid
    # forms alike.
    if not capture_exists(principal, capture_id):
        raise Http404


def save_annotation(
    principal: Principal, capture_id: UUID, tags: list[str] | None = None, note: str | None = None
) -> HttpResponse:
    with transaction.atomic():
        capture = lock_capture(principal, capture_id)
        if capture is None:
            raise Http404
        annotate(capture, tags, note)
    return redirect("dashboard:capture", capture_id)


NOT_CONFIRMED = "Nothing was deleted: tick the box to confirm."


@login_required
def delete_capture(request: HttpRequest, principal: Principal, capture_id: UUID) -> HttpResponse:
    """Delete the capture if the confirmation box is ticked; what went with it is told in this
    response only.
    """
    if not capture_exists(principal, capture_id, DELETE):
        raise Http404
    if request.POST.get("confirm") != "yes":
        return render_capture_page(
            request, principal, capture_id, NOT_TAKEN, not_deleted=NOT_CONFIRMED
        )
    team = opened_of(principal, capture_id).team_slug
    receipt = delete(principal, capture_id)
    if receipt is None:
        raise Http404
    context = {
        "receipt": receipt,
        "disk_erasure": DISK_ERASURE_WORDS[receipt.erased_from_disk],
        "team": team,
        "teams": principal.teams,
    }
    return render_page(request, "dashboard/capture/deleted.html", context)
