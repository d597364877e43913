"""The user's own page: name, password, teams, sessions."""

from typing import Any

from django.contrib.auth import logout, update_session_auth_hash
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from inspector.dashboard.pages import head_context, login_required, render_page
from inspector.dashboard.people.forms import PasswordForm, PersonForm
from inspector.dashboard.people.sign_in_views import login_asker, too_many_attempts
from inspector.teams import accounts, audit, login_throttle
from inspector.teams.access import Principal
from inspector.teams.models import User
from inspector.web.client_address import client_network_of


@login_required
def account(request: HttpRequest, principal: Principal) -> HttpResponse:
    return render_account_page(request, principal)


@login_required
def change_name(request: HttpRequest, principal: Principal) -> HttpResponse:
    person = signed_in_user(request)
    form = PersonForm(request.POST, person=person)
    if form.is_valid() and rename_person(request, person, form):
        return redirect("dashboard:account")
    person.refresh_from_db()
    return render_account_page(request, principal, status=422, name_form=form)


@login_required
def change_password(request: HttpRequest, principal: Principal) -> HttpResponse:
    """Change the password; this session continues under a new id, all others end."""
    person = signed_in_user(request)
    who = login_asker(request, person.username)
    if wait := login_throttle.count_attempt(who):
        return too_many_attempts(request, wait)
    form = PasswordForm(person, request.POST)
    if "current" not in form.errors:
        login_throttle.forgive_attempts(who)
    else:
        audit.note_failure(person.username, client_network_of(request))
    if not form.is_valid():
        return render_account_page(request, principal, status=422, password_form=form)
    accounts.set_password(person, form.cleaned_data["new"], client_network_of(request))
    update_session_auth_hash(request, person)
    return redirect("dashboard:account")


@login_required
def end_sessions(request: HttpRequest, principal: Principal) -> HttpResponse:
    accounts.end_sessions(signed_in_user(request), client_network_of(request))
    logout(request)
    return redirect("dashboard:sign-in")


def render_account_page(
    request: HttpRequest, principal: Principal, status: int = 200, **forms: Any
) -> HttpResponse:
    person = signed_in_user(request)
    context = {
        **head_context(principal),
        "has_password": person.has_usable_password(),
        "name_form": PersonForm(initial={"name": person.username}),
        "password_form": PasswordForm(person),
        **forms,
    }
    return render_page(request, "dashboard/people/account.html", context, status)


def rename_person(request: HttpRequest, person: User, form: PersonForm) -> bool:
    try:
        accounts.rename(person, form.cleaned_data["name"], client_network_of(request))
    except IntegrityError:
        # Another request took the name after the form's check.
        form.add_error("name", "This name is taken.")
        return False
    return True


def signed_in_user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
