"""What people say about a capture: its tags and its note."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect

from inspector.archive.annotation import annotate, hold, is_there
from inspector.dashboard.asking import signed_in
from inspector.dashboard.forms import NoteForm, TagsForm
from inspector.dashboard.views.capture import shown
from inspector.teams.access import Principal

NOT_TAKEN = 422


@signed_in
def tags(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    require_there(principal, id)
    form = TagsForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, id, NOT_TAKEN, tags_form=form)
    return annotated(principal, id, tags=form.cleaned_data["tags"])


@signed_in
def note(request: HttpRequest, principal: Principal, id: UUID) -> HttpResponseBase:
    require_there(principal, id)
    form = NoteForm(request.POST)
    if not form.is_valid():
        return shown(request, principal, id, NOT_TAKEN, note_form=form)
    return annotated(principal, id, note=form.cleaned_data["note"])


def require_there(principal: Principal, id: UUID) -> None:
    """First of all: whatever else is wrong, what is not theirs is missing."""
    if not is_there(principal, id):
        raise Http404


def annotated(
    principal: Principal, id: UUID, tags: list[str] | None = None, note: str | None = None
) -> HttpResponseBase:
    with transaction.atomic():
        capture = hold(principal, id)
        if capture is None:
            raise Http404
        annotate(capture, tags, note)
    return redirect("dashboard:capture", id)
