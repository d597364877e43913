"""Authorisation of pages, and helpers to render and compress them."""

from collections.abc import Callable
from contextlib import nullcontext
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

from inspector.database import lock_wait
from inspector.formatting.invisible_characters import spell_out_invisible
from inspector.logs.json_log import ASKER
from inspector.teams import access
from inspector.teams.access import Principal
from inspector.teams.authorisation import (
    AccessDecision,
    AuthMethod,
    decide_access,
    is_shared,
    row_of,
)
from inspector.teams.guards import marks_auth_method, method_not_allowed
from inspector.web.client_address import client_network_of

SHARE_PRINCIPAL = "inspector.share_principal"
"""Key in ``request.META`` for whoever opens a page by a link."""

_GZIP = GZipMiddleware(lambda request: HttpResponse())

P = ParamSpec("P")
PageView = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
PrincipalView = Callable[Concatenate[HttpRequest, Principal, P], HttpResponseBase]


def login_required(view: PrincipalView[P]) -> PageView[P]:
    """Pass the principal to the view if the authorisation table allows the request.

    Anonymous users are sent to the sign-in page and return afterwards. Whoever has a link is let in
    where it opens the page.
    """

    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if by_link := request.META.get(SHARE_PRINCIPAL):
            if not is_shared(by_link.share, row_of(request), request.method):
                raise Http404
            return view(request, by_link, *args, **kwargs)
        if refusal := method_not_allowed(request):
            return refusal
        principal = replace(access.for_user(request.user), network=client_network_of(request))
        if not principal.is_authenticated:
            return redirect_to_sign_in(request)
        request.META[ASKER] = {"user": principal.user_id}
        check_access(request, principal)
        with lock_wait.form_lock_wait() if request.method == "POST" else nullcontext():
            return view(request, principal, *args, **kwargs)

    return marks_auth_method(AuthMethod.PAGE, update_wrapper(guarded, view))


def check_access(request: HttpRequest, principal: Principal) -> None:
    """Raise ``Http404`` for strangers of the team, ``PermissionDenied`` for too low a role."""
    need, match = row_of(request).need(request.method), request.resolver_match
    assert need is not None and match is not None
    found = decide_access(principal, need, match.kwargs.get("team"))
    if found is AccessDecision.MISSING:
        raise Http404
    if found is AccessDecision.FORBIDDEN:
        raise PermissionDenied


def principal_in_team(principal: Principal, team: str) -> Principal:
    """Limits the principal to one team: permissions in others must not show on its pages."""
    found = principal.within(team)
    assert found is not None, "the table asked for the team"
    return found


def team_context(principal: Principal, slug: str) -> dict[str, Any]:
    """Template context of the team page head."""
    team = principal.team(slug)
    return {"team": slug, "team_name": team.name if team else slug, "teams": principal.teams}


def head_context(principal: Principal) -> dict[str, Any]:
    """Return the head of a page that belongs to no team: that of the person's first team."""
    return team_context(principal, principal.teams[0].slug) if principal.teams else {"teams": ()}


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    """Redirect to the sign-in page; a fragment request redirects the page around it."""
    if request.headers.get("HX-Request"):
        return HttpResponse(status=401, headers={"HX-Redirect": reverse("dashboard:sign-in")})
    # A URL that only accepts POST is no page to return to.
    next_url = request.get_full_path() if request.method in ("GET", "HEAD") else "/"
    back = urlencode({"next": next_url})
    return redirect(f"{reverse('dashboard:sign-in')}?{back}")


def render_page(
    request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render a template with hidden and reordering characters spelled out."""
    html = spell_out_invisible(render_to_string(template, context, request))
    response = HttpResponse(html, status=status)
    response["Cache-Control"] = "private, no-store"
    return compress_page(request, response)


def compress_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    # Only pages and fragments are gzipped: evidence is served as stored, and the API keeps its
    # strong ETags. Their length gives no secret away (BREACH): the forgery token is masked anew in
    # each answer, and keys are shown once, to a form that needs that token.
    done = _GZIP.process_response(request, response)
    assert isinstance(done, HttpResponse)
    return done
