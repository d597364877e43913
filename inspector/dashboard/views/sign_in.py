"""Signing in, by a one-time link or by a password, and signing out."""

from __future__ import annotations

from django.contrib.auth import login, logout
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from inspector.dashboard.asking import answer
from inspector.teams.doors import open_to_all
from inspector.teams.sign_in import use_link

BACKEND = "django.contrib.auth.backends.ModelBackend"
SPENT = "This link was used before, or it is more than a day old."


@open_to_all
def with_password(request: HttpRequest) -> HttpResponse:
    form = AuthenticationForm(request, data=request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        login(request, form.get_user())
        return redirect(own_path(request))
    wrong = request.method == "POST"
    context = {"form": form, "next": own_path(request), "wrong": wrong}
    return answer(request, "dashboard/sign_in.html", context, status=403 if wrong else 200)


@open_to_all
def with_link(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the link does not use it: mail scanners and browsers fetch ahead."""
    if request.method != "POST":
        return answer(request, "dashboard/sign_in_link.html", {"next": own_path(request)})
    user = use_link(token)
    if user is None:
        return answer(request, "dashboard/sign_in_link.html", {"spent": SPENT}, status=410)
    login(request, user, backend=BACKEND)
    return redirect(own_path(request))


@open_to_all
def sign_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("dashboard:sign-in")


def own_path(request: HttpRequest) -> str:
    """Where to go on; never to another site."""
    path = request.POST.get("next") or request.GET.get("next") or "/"
    own = path.startswith("/") and url_has_allowed_host_and_scheme(
        path, allowed_hosts=None, require_https=request.is_secure()
    )
    return path if own else "/"
