"""Votes on a capture's choices, and the tokens by which others vote: issued and revoked."""

from uuid import UUID

from django import forms
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect
from django.urls import reverse

from inspector.dashboard.capture.feedback.votes import just_issued
from inspector.dashboard.capture.views import render_capture_page
from inspector.dashboard.feedback.vote_rows import choice_url
from inspector.dashboard.pages import login_required
from inspector.dashboard.request_values import parse_whole_number
from inspector.feedback import issue_tokens
from inspector.feedback.casting import VoteRefusal, cast_by_hand
from inspector.feedback.issue_tokens import LONGEST_SECONDS, USUAL_SECONDS
from inspector.feedback.models import COMMENT_CHARACTERS, DAY_SECONDS, VoteOutcome
from inspector.teams.access import Principal

LONGEST_DAYS = LONGEST_SECONDS // DAY_SECONDS
"""The form counts days, a token's signature seconds."""
USUAL_DAYS = USUAL_SECONDS // DAY_SECONDS


class VoteForm(forms.Form):
    outcome = forms.ChoiceField(choices=VoteOutcome.choices)
    comment = forms.CharField(required=False, max_length=COMMENT_CHARACTERS)


@login_required
def issue_token(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int
) -> HttpResponse:
    """Issue a token and show it once, in this response."""
    days = parse_whole_number(request.POST.get("days", "")) or USUAL_DAYS
    seconds = min(max(days, 1), LONGEST_DAYS) * DAY_SECONDS
    issued = issue_tokens.issue_token(principal, capture_id, choice, seconds)
    if issued is None:
        raise Http404
    loaded = {just_issued: (choice, issued)}
    return render_capture_page(request, principal, capture_id, loaded=loaded)


@login_required
def vote(request: HttpRequest, principal: Principal, capture_id: UUID, choice: int) -> HttpResponse:
    """Store the reader's own vote on the choice."""
    form = VoteForm(request.POST)
    if not form.is_valid():
        return HttpResponseBadRequest("A vote is positive or negative.")
    outcome, comment = form.cleaned_data["outcome"], form.cleaned_data["comment"]
    cast = cast_by_hand(principal, capture_id, choice, outcome, comment or None)
    if isinstance(cast, VoteRefusal):
        raise Http404
    return redirect(choice_url(capture_id, choice))


@login_required
def revoke_tokens(
    request: HttpRequest, principal: Principal, capture_id: UUID, choice: int
) -> HttpResponse:
    """Revoke every token of this installation issued for the choice up to now."""
    if not issue_tokens.revoke_tokens(principal, capture_id, choice):
        raise Http404
    return redirect(f"{reverse('dashboard:capture', args=[capture_id])}#feedback")
