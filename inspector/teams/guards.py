"""Decorators by which every view checks its row of the authorisation table."""

import hmac
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from inspector.teams.authorisation import AuthMethod, row_of

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
AnyView = TypeVar("AnyView", bound=Callable[..., Any])

_AUTH_METHOD = "auth_method"


def open_to_all(view: View[P]) -> View[P]:
    """Take the methods of its row, from anybody."""

    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return method_not_allowed(request) or view(request, *args, **kwargs)

    return marks_auth_method(AuthMethod.OPEN, update_wrapper(guarded, view))


def for_operators(view: View[P]) -> View[P]:
    """Require the operator's key (``METRICS_KEY``); responds 404 where the settings have none."""

    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not settings.METRICS_KEY:
            raise Http404
        if refusal := method_not_allowed(request):
            return refusal
        if not has_operators_key(request):
            return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
        return view(request, *args, **kwargs)

    return marks_auth_method(AuthMethod.OPERATOR, update_wrapper(guarded, view))


def has_operators_key(request: HttpRequest) -> bool:
    """Return False where the settings name none."""
    scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    sent, wanted = key.strip().encode(errors="replace"), settings.METRICS_KEY.encode()
    return bool(wanted) and scheme.lower() == "bearer" and hmac.compare_digest(sent, wanted)


def method_not_allowed(request: HttpRequest) -> HttpResponseBase | None:
    row = row_of(request)
    return None if row.need(request.method) else HttpResponseNotAllowed(row.methods)


def marks_auth_method(auth_method: AuthMethod, view: AnyView) -> AnyView:
    """Mark a view with its authentication method; ``route_check`` looks for the mark."""
    setattr(view, _AUTH_METHOD, auth_method)
    return view


def auth_method_of(view: Callable[..., Any]) -> AuthMethod | None:
    """None for a view that asks nobody who they are."""
    view_class = getattr(view, "view_class", None)
    # A class-based view carries the mark on its permission class.
    marked = [view] if view_class is None else view_class.permission_classes
    found: AuthMethod | None = getattr(marked[0], _AUTH_METHOD, None) if len(marked) == 1 else None
    return found
