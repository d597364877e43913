"""Keys for machines, and nothing else: a session's cookie opens no door of the API."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import MethodNotAllowed, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from api.rates import count_failure, count_key
from inspector.logs import ASKER
from inspector.peers import asker_of
from inspector.teams.access import Principal, for_key
from inspector.teams.authorisation import Door, Verdict, verdict
from inspector.teams.doors import is_door, row_of

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.views import APIView

LONGEST_KEY = 200


class KeyAuthentication(BaseAuthentication):
    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        principal = bearer_of(request._request)
        if principal is None:
            count_failure(request._request)
            return None
        request.META[ASKER] = {"key": principal.key_id}
        count_key(principal.key_id)
        return principal, None

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


def bearer_of(request: HttpRequest) -> Principal | None:
    scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer" or len(key) > LONGEST_KEY:
        return None
    principal = for_key(key.strip())
    return None if principal is None else replace(principal, network=asker_of(request))


class AsksTable(BasePermission):
    """The row of the authorisation table names the scope of every method; others are not taken."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        principal = request.user
        if not isinstance(principal, Principal):
            return False
        need = row_of(request._request).need(request.method)
        if need is None:
            raise MethodNotAllowed(str(request.method))
        if verdict(principal, need) is not Verdict.ALLOWED:
            raise PermissionDenied(f"this key lacks the scope {need!r}")
        return True


is_door(Door.KEY, AsksTable)


class AsksNobody(BasePermission):
    """Takes the methods of its row, from anybody."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if row_of(request._request).need(request.method) is None:
            raise MethodNotAllowed(str(request.method))
        return True


is_door(Door.OPEN, AsksNobody)


def principal_of(request: Request) -> Principal:
    user: Any = request.user
    assert isinstance(user, Principal)
    return user
