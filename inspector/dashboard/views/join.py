"""Accepting an invitation: as who one is, or as somebody new."""

from __future__ import annotations

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.dashboard.asking import answer
from inspector.dashboard.forms import NewPersonForm
from inspector.dashboard.views.sign_in import entered
from inspector.peers import asker_of
from inspector.teams import invitations
from inspector.teams.doors import open_to_all
from inspector.teams.invitations import Offer
from inspector.teams.models import User

NOT_TAKEN = 422


@open_to_all
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at an invitation does not use it, like a sign-in link."""
    offer = invitations.look(token)
    if offer is None:
        return spent(request)
    if request.method != "POST":
        return shown(request, offer, NewPersonForm())
    if isinstance(request.user, User):
        return joined(request, token, request.user)
    return joined_as_new(request, token, offer)


def joined(request: HttpRequest, token: str, user: User) -> HttpResponse:
    offer = invitations.accept(token, user, asker_of(request))
    return redirect("dashboard:archive", offer.team_slug) if offer else spent(request)


def joined_as_new(request: HttpRequest, token: str, offer: Offer) -> HttpResponse:
    form = NewPersonForm(request.POST)
    if not form.is_valid():
        return shown(request, offer, form, NOT_TAKEN)
    asked = form.cleaned_data
    try:
        user = invitations.accept_as_new(token, asked["name"], asked["password"], asker_of(request))
    except IntegrityError:
        # Somebody else took the name between the question and the answer.
        form.add_error("name", "This name is taken.")
        return shown(request, offer, form, NOT_TAKEN)
    if user is None:
        return spent(request)
    return entered(request, user, f"/t/{offer.team_slug}/captures/", by="by invitation")


def shown(
    request: HttpRequest, offer: Offer, form: NewPersonForm, status: int = 200
) -> HttpResponse:
    is_member = isinstance(request.user, User) and invitations.is_member(offer, request.user)
    context = {"offer": offer, "form": form, "is_member": is_member}
    return answer(request, "dashboard/join.html", context, status)


def spent(request: HttpRequest) -> HttpResponse:
    """One answer for what was used, withdrawn, too old, or never was."""
    return answer(request, "dashboard/join.html", {"offer": None}, status=410)
