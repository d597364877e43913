"""A token for a choice, shown once on its capture's page, and taking tokens back."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse

from inspector.dashboard.asking import signed_in
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.views.capture import shown
from inspector.feedback import issuing
from inspector.feedback.issuing import LONGEST_SECONDS, USUAL_SECONDS
from inspector.feedback.models import DAY_SECONDS
from inspector.teams.access import Principal

LONGEST_DAYS = LONGEST_SECONDS // DAY_SECONDS
USUAL_DAYS = USUAL_SECONDS // DAY_SECONDS


@signed_in
def issue(request: HttpRequest, principal: Principal, id: UUID, choice: int) -> HttpResponseBase:
    """The token is shown in this answer and never again."""
    days = whole_number(request.POST.get("days", "")) or USUAL_DAYS
    seconds = min(max(days, 1), LONGEST_DAYS) * DAY_SECONDS
    issued = issuing.issue(principal, id, choice, seconds)
    if issued is None:
        raise Http404
    return shown(request, principal, id, issued=(choice, issued))


@signed_in
def revoke(request: HttpRequest, principal: Principal, id: UUID, choice: int) -> HttpResponseBase:
    """Every token of ours that was made for the choice up to now."""
    if not issuing.revoke(principal, id, choice):
        raise Http404
    return redirect(f"{reverse('dashboard:capture', args=[id])}#feedback")
