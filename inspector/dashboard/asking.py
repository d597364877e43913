"""Who asks for a page, and how a page answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse

from inspector.dashboard.marks import named
from inspector.logs import ASKER
from inspector.peers import asker_of
from inspector.teams import access
from inspector.teams.access import Principal
from inspector.teams.authorisation import Door, Verdict, verdict
from inspector.teams.doors import is_door, not_taken, row_of

_GZIP = GZipMiddleware(lambda request: HttpResponse())

P = ParamSpec("P")
Answered = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
Asked = Callable[Concatenate[HttpRequest, Principal, P], HttpResponseBase]


def signed_in(view: Asked[P]) -> Answered[P]:
    """Hands the view its principal, if the table lets them pass; others are sent to sign in and
    come back afterwards."""

    def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if refusal := not_taken(request):
            return refusal
        principal = replace(access.for_user(request.user), network=asker_of(request))
        if not principal.is_authenticated:
            return to_sign_in(request)
        request.META[ASKER] = {"user": principal.user_id}
        refuse_others(request, principal)
        return view(request, principal, *args, **kwargs)

    return is_door(Door.PAGE, update_wrapper(asked, view))


def refuse_others(request: HttpRequest, principal: Principal) -> None:
    """A team that is not the asker's is as missing as one that never was."""
    need, match = row_of(request).need(request.method), request.resolver_match
    assert need is not None and match is not None
    found = verdict(principal, need, match.kwargs.get("team"))
    if found is Verdict.MISSING:
        raise Http404
    if found is Verdict.FORBIDDEN:
        raise PermissionDenied


def to_sign_in(request: HttpRequest) -> HttpResponse:
    """A fragment cannot be signed in to: the page around it goes."""
    if request.headers.get("HX-Request"):
        return HttpResponse(status=401, headers={"HX-Redirect": reverse("dashboard:sign-in")})
    # An address that only takes forms is no page to come back to.
    asked = request.get_full_path() if request.method in ("GET", "HEAD") else "/"
    back = urlencode({"next": asked})
    return redirect(f"{reverse('dashboard:sign-in')}?{back}")


def answer(
    request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """A rendered page, wherever a text from outside stands in it free of what hides text."""
    html = named(render_to_string(template, context, request))
    response = HttpResponse(html, status=status)
    response["Cache-Control"] = "private, no-store"
    return compressed(request, response)


def compressed(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    """Where the browser takes it. Only pages and what is drawn on them: evidence goes as it came,
    and the API keeps its strong ETags (docs/decisions/0021)."""
    done = _GZIP.process_response(request, response)
    assert isinstance(done, HttpResponse)
    return done
