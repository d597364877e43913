"""Accepting an invitation, as the signed-in user or as a new one."""

from __future__ import annotations

from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.dashboard.page_auth import render_page
from inspector.dashboard.people.forms import NewPersonForm
from inspector.dashboard.people.sign_in_views import complete_sign_in
from inspector.teams import invitations
from inspector.teams.guards import open_to_all
from inspector.teams.invitations import InvitationOffer
from inspector.teams.models import User
from inspector.web.client_address import client_network_of

UNPROCESSABLE = 422


@open_to_all
def join(request: HttpRequest, token: str) -> HttpResponse:
    """Shows the invitation; only submitting the form uses it up."""
    offer = invitations.find_offer(token)
    if offer is None:
        return invitation_gone(request)
    if request.method != "POST":
        return render_join_page(request, offer, NewPersonForm())
    if isinstance(request.user, User):
        return join_as_user(request, token, request.user)
    return join_as_new_user(request, token, offer)


def join_as_user(request: HttpRequest, token: str, user: User) -> HttpResponse:
    offer = invitations.accept(token, user, client_network_of(request))
    return redirect("dashboard:archive", offer.team_slug) if offer else invitation_gone(request)


def join_as_new_user(request: HttpRequest, token: str, offer: InvitationOffer) -> HttpResponse:
    form = NewPersonForm(request.POST)
    if not form.is_valid():
        return render_join_page(request, offer, form, UNPROCESSABLE)
    fields = form.cleaned_data
    try:
        user = invitations.accept_as_new(
            token, fields["name"], fields["password"], client_network_of(request)
        )
    except IntegrityError:
        # Another request took the name after the form's check.
        form.add_error("name", "This name is taken.")
        return render_join_page(request, offer, form, UNPROCESSABLE)
    if user is None:
        return invitation_gone(request)
    return complete_sign_in(request, user, f"/t/{offer.team_slug}/captures/", by="by invitation")


def render_join_page(
    request: HttpRequest, offer: InvitationOffer, form: NewPersonForm, status: int = 200
) -> HttpResponse:
    is_member = isinstance(request.user, User) and invitations.is_member(offer, request.user)
    context = {"offer": offer, "form": form, "is_member": is_member}
    return render_page(request, "dashboard/people/join.html", context, status)


def invitation_gone(request: HttpRequest) -> HttpResponse:
    # One answer for used, revoked, expired and unknown invitations, so that tokens cannot be
    # probed.
    return render_page(request, "dashboard/people/join.html", {"offer": None}, status=410)
