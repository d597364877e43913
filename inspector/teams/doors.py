"""What every view asks first: its row of the authorisation table."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.http.response import HttpResponseBase

from inspector.teams.authorisation import TABLE, Door, Row

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]
AnyView = TypeVar("AnyView", bound=Callable[..., Any])

_DOOR = "door"


def row_of(request: HttpRequest) -> Row:
    match = request.resolver_match
    assert match is not None, "a view is reached by its address only"
    return TABLE[match.view_name]


def open_to_all(view: View[P]) -> View[P]:
    """Takes the methods of its row, from anybody."""

    def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        return not_taken(request) or view(request, *args, **kwargs)

    return is_door(Door.OPEN, update_wrapper(asked, view))


def for_operators(view: View[P]) -> View[P]:
    """Takes the methods of its row from whoever has the key that the settings name; where they
    name none, there is nothing at this address.
    """

    def asked(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if not settings.METRICS_KEY:
            raise Http404
        if refusal := not_taken(request):
            return refusal
        if not has_operators_key(request):
            return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
        return view(request, *args, **kwargs)

    return is_door(Door.OPERATOR, update_wrapper(asked, view))


def has_operators_key(request: HttpRequest) -> bool:
    """False where the settings name none."""
    scheme, _, key = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
    sent, wanted = key.strip().encode(errors="replace"), settings.METRICS_KEY.encode()
    return bool(wanted) and scheme.lower() == "bearer" and hmac.compare_digest(sent, wanted)


def not_taken(request: HttpRequest) -> HttpResponseBase | None:
    row = row_of(request)
    return None if row.need(request.method) else HttpResponseNotAllowed(row.methods)


def is_door(door: Door, view: AnyView) -> AnyView:
    """Marks who asks the table; the start looks for the mark."""
    setattr(view, _DOOR, door)
    return view


def door_of(view: Callable[..., Any]) -> Door | None:
    door: Door | None = getattr(view, _DOOR, None)
    return door
