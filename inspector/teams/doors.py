"""What every view asks first: its row of the authorisation table."""

from __future__ import annotations

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar

from django.http import HttpRequest, HttpResponseNotAllowed
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
