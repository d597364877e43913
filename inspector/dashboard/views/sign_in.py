"""Signing in, by a one-time link or by a password, and signing out."""

from __future__ import annotations

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from inspector.dashboard import browsers, idling
from inspector.dashboard.asking import answer
from inspector.logs import ASKER, REFUSAL
from inspector.peers import asker_of
from inspector.teams import audit, tries
from inspector.teams.audit import Act
from inspector.teams.doors import open_to_all
from inspector.teams.models import User
from inspector.teams.sign_in import use_link

BACKEND = "django.contrib.auth.backends.ModelBackend"
SPENT = "It was used before, or it is more than a day old."


@open_to_all
def with_password(request: HttpRequest) -> HttpResponse:
    if request.method != "POST":
        return sign_in_page(request, AuthenticationForm(request))
    who = asker(request, request.POST.get("username", ""))
    if wait := tries.begin(who):
        request.META[REFUSAL] = "too_many_tries"
        return too_many(request, wait)
    form = AuthenticationForm(request, data=request.POST)
    if not form.is_valid():
        request.META[REFUSAL] = "wrong_password"
        audit.note_failure(form.cleaned_data.get("username", ""), asker_of(request))
        return sign_in_page(request, form, status=403)
    tries.was_right(who)
    return entered(request, form.get_user(), own_path(request), by="by password")


@open_to_all
def with_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link does not use it: mail scanners and browsers fetch ahead."""
    if request.method != "POST":
        return answer(request, "dashboard/sign_in_link.html", {"next": own_path(request)})
    user = use_link(token)
    if user is None:
        request.META[REFUSAL] = "spent_link"
        return answer(request, "dashboard/sign_in_link.html", {"spent": SPENT}, status=410)
    return entered(request, user, own_path(request), by="by link")


@open_to_all
def sign_out(request: HttpRequest) -> HttpResponse:
    note_asker(request, request.user)
    logout(request)
    return redirect("dashboard:sign-in")


def sign_in_page(request: HttpRequest, form: AuthenticationForm, status: int = 200) -> HttpResponse:
    context = {"form": form, "next": own_path(request), "wrong": status != 200}
    return answer(request, "dashboard/sign_in.html", context, status)


def entered(request: HttpRequest, user: User, path: str, by: str) -> HttpResponse:
    """Signed in, with a new session, whatever the browser brought along."""
    audit.note_person(user, Act.SIGNED_IN, by, asker_of(request))
    # Django would go on with the session of whoever signs in again.
    request.session.flush()
    login(request, user, backend=BACKEND)
    idling.begin(request)
    note_asker(request, user)
    response = redirect(path)
    browsers.remember(request, response, user.username)
    return response


def note_asker(request: HttpRequest, user: User | AnonymousUser) -> None:
    """For the log, which names numbers only."""
    if user.pk is not None:
        request.META[ASKER] = {"user": user.pk}


def asker(request: HttpRequest, name: str) -> tries.Asker:
    return tries.asker(name, request.META.get("REMOTE_ADDR", ""), browsers.known(request, name))


def too_many(request: HttpRequest, wait: int) -> HttpResponse:
    minutes = -(-wait // 60)
    response = answer(request, "dashboard/too_many.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(wait)
    return response


def own_path(request: HttpRequest) -> str:
    """Where to go on; never to another site."""
    path = request.POST.get("next") or request.GET.get("next") or "/"
    own = path.startswith("/") and url_has_allowed_host_and_scheme(
        path, allowed_hosts=None, require_https=request.is_secure()
    )
    return path if own else "/"
