"""Keys for machines, and nothing else: a session's cookie opens no door of the API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from inspector.teams.access import INGEST, READ, Principal, for_key

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.views import APIView

ANY_SCOPE = "any"
LONGEST_KEY = 200


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        if scheme.lower() != "bearer" or len(key) > LONGEST_KEY:
            return None
        principal = for_key(key.strip())
        return (principal, None) if principal else None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class HasScope(BasePermission):
    """Every view names the scope of every method it takes; what it does not name is closed."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not isinstance(request.user, Principal):
            return False
        scopes: dict[str, str] = getattr(view, "scopes", {})
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method not in scopes:
            raise MethodNotAllowed(method)
        return _is_granted(request.user, scopes[method])


def _is_granted(principal: Principal, scope: str) -> bool:
    if scope == ANY_SCOPE:
        return any(principal.may(known) for known in (INGEST, READ))
    if not principal.may(scope):
        raise PermissionDenied(f"this key lacks the scope {scope!r}")
    return True


def principal_of(request: Request) -> Principal:
    user: Any = request.user
    assert isinstance(user, Principal)
    return user
