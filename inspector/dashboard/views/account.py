"""A person's own page: name, password, teams, sessions."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import logout, update_session_auth_hash
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect

from inspector.dashboard.asking import answer, signed_in
from inspector.dashboard.forms import PasswordForm, PersonForm
from inspector.dashboard.views.sign_in import asker, too_many
from inspector.peers import asker_of
from inspector.teams import accounts, audit, tries
from inspector.teams.access import Principal
from inspector.teams.models import User

NOT_TAKEN = 422


@signed_in
def account(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    return shown(request, principal)


@signed_in
def name(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    person = person_of(request)
    form = PersonForm(request.POST, person=person)
    if form.is_valid() and renamed(request, person, form):
        return redirect("dashboard:account")
    person.refresh_from_db()
    return shown(request, principal, NOT_TAKEN, name_form=form)


@signed_in
def password(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    """This session goes on under a new id; every other one ends."""
    person = person_of(request)
    who = asker(request, person.username)
    if wait := tries.begin(who):
        return too_many(request, wait)
    form = PasswordForm(person, request.POST)
    if "current" not in form.errors:
        tries.was_right(who)
    else:
        audit.note_failure(person.username, asker_of(request))
    if not form.is_valid():
        return shown(request, principal, NOT_TAKEN, password_form=form)
    accounts.set_password(person, form.cleaned_data["new"], asker_of(request))
    update_session_auth_hash(request, person)
    return redirect("dashboard:account")


@signed_in
def end_sessions(request: HttpRequest, principal: Principal) -> HttpResponseBase:
    accounts.end_sessions(person_of(request), asker_of(request))
    logout(request)
    return redirect("dashboard:sign-in")


def shown(
    request: HttpRequest, principal: Principal, status: int = 200, **forms: Any
) -> HttpResponse:
    person = person_of(request)
    context = {
        "teams": principal.teams,
        "has_password": person.has_usable_password(),
        "name_form": PersonForm(initial={"name": person.username}),
        "password_form": PasswordForm(person),
        **forms,
    }
    return answer(request, "dashboard/account.html", context, status)


def renamed(request: HttpRequest, person: User, form: PersonForm) -> bool:
    try:
        accounts.rename(person, form.cleaned_data["name"], asker_of(request))
    except IntegrityError:
        # Somebody else took it between the question and the answer.
        form.add_error("name", "This name is taken.")
        return False
    return True


def person_of(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
