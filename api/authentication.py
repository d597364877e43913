"""Authentication by API key. The API takes no session cookies; nginx may ask with one whether to
accept a large body.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from api.api_error import ApiError
from api.cross_origin import PAGES, require_page
from api.rate_limits import limit_failure_rate, limit_key_rate
from inspector.logs.json_log import ASKER
from inspector.teams.access import Principal, for_key
from inspector.teams.authorisation import AccessDecision, AuthMethod, decide_access, row_of
from inspector.teams.guards import marks_auth_method, open_to_all
from inspector.web import turns
from inspector.web.client_address import client_network_of

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.views import APIView

MAX_KEY_CHARACTERS = 200
"""Our keys have 46; what is longer is none, and is not hashed to find that out."""


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        principal = principal_from_bearer(request._request)
        if principal is None:
            limit_failure_rate(request._request)
            return None
        request.META[ASKER] = {"key": principal.key_id}
        # Before the limits: their refusals are for the page to read, too.
        request.META[PAGES] = principal.origins
        limit_key_rate(principal.key_id)
        _take_share(principal)
        return principal, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def principal_from_bearer(request: HttpRequest) -> Principal | None:
    scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or len(key) > MAX_KEY_CHARACTERS:
        return None
    principal = for_key(key.strip())
    return None if principal is None else replace(principal, network=client_network_of(request))


def _take_share(principal: Principal) -> None:
    try:
        turns.take_share(principal.owner_of_uploads)
    except turns.OverShare as over:
        raise ApiError(429, "too_many_uploads", over.sentence, over.retry_seconds) from over


class HasRequiredScope(BasePermission):
    """Checks the scope that the authorisation table names for the method; methods without one are
    refused, but for the question which there are.
    """

    def has_permission(self, request: Request, view: APIView) -> bool:
        principal = request.user
        if not isinstance(principal, Principal):
            return False
        if request.method == "OPTIONS":
            return True
        need = row_of(request._request).need(request.method)
        if need is None:
            raise MethodNotAllowed(str(request.method))
        require_page(request._request, principal, takes_pages=getattr(view, "takes_pages", False))
        if decide_access(principal, need) is not AccessDecision.ALLOWED:
            raise PermissionDenied(f"this key lacks the scope {need!r}")
        return True


marks_auth_method(AuthMethod.KEY, HasRequiredScope)


class AllowAnyone(BasePermission):
    """Takes the methods of its row, from anybody."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if row_of(request._request).need(request.method) is None:
            raise MethodNotAllowed(str(request.method))
        return True


marks_auth_method(AuthMethod.OPEN, AllowAnyone)


def principal_of(request: Request) -> Principal:
    user: Any = request.user
    assert isinstance(user, Principal)
    return user


@csrf_exempt
@open_to_all
def admission(request: HttpRequest) -> HttpResponse:
    """Tell nginx whether to accept a large body: 204 with a valid API key or session, else 401.

    nginx asks before it reads the body, while the client waits. What the caller may do is checked
    when the body is read.
    """
    if principal_from_bearer(request) is not None or get_user(request).is_authenticated:
        return HttpResponse(status=204)
    try:
        limit_failure_rate(request)
    except ApiError as refusal:
        return HttpResponse(status=refusal.status_code)
    return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
