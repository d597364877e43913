"""The saved views of a team: listed, saved, deleted."""

from typing import Annotated
from urllib.parse import parse_qs

import msgspec
from django.http.response import HttpResponseBase
from msgspec import Meta
from rest_framework.request import Request

from api.addresses import list_url
from api.api_error import ApiError, needs_read, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures.filters import capture_conditions_of
from api.endpoint import Endpoint
from api.lookup import number_of
from api.operation import ResponseBody, conditional_get, operation
from api.responses import json_response, json_with_etag
from inspector.archive import saved_views
from inspector.archive.member_types import Moment, Url
from inspector.archive.saved_views import (
    NAME_CHARACTERS,
    QUERY_CHARACTERS,
    TooManyViews,
    ViewEntry,
    ViewNameTaken,
)
from inspector.core.same_fields import struct_of


class NewView(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A view to save for the team. `query` is the query string of the capture list, `layout` what
    else stands in the address of its page.
    """

    name: Annotated[str, Meta(min_length=1, max_length=NAME_CHARACTERS, pattern=r"\S")]
    query: Annotated[str, Meta(max_length=QUERY_CHARACTERS)] = ""
    layout: Annotated[str, Meta(max_length=QUERY_CHARACTERS)] = ""


class SavedViewBody(msgspec.Struct, frozen=True, kw_only=True):
    """A saved view. `problem` says why the query cannot be read any more; null if it can."""

    id: int
    name: str
    query: str
    layout: str
    problem: str | None
    made_by: str
    created_at: Moment
    page: Url


class SavedViewList(msgspec.Struct, frozen=True):
    """The views of the team, by name."""

    views: tuple[SavedViewBody, ...]


class DeletedView(msgspec.Struct, frozen=True):
    """The id of the view that was deleted."""

    deleted: int


class ViewListEndpoint(Endpoint):
    @conditional_get(
        "list_views",
        "list the saved views of the team",
        ResponseBody("the views, by name", SavedViewList),
    )
    def get(self, request: Request) -> HttpResponseBase:
        views, team = saved_views.for_principal(principal_of(request)).all(), _team_of(request)
        return json_with_etag(request, SavedViewList(tuple(saved_view(v, team) for v in views)))

    @operation(
        "create_view",
        "save a view for the team",
        ResponseBody("the view", SavedViewBody, status=201),
        reads=NewView,
        errors=(409,),
    )
    def post(self, request: Request) -> HttpResponseBase:
        wanted = read_json(request._request, NewView)
        query = str(capture_conditions_of(parse_qs(wanted.query, keep_blank_values=True)))
        door = saved_views.for_principal(principal_of(request))
        found = door.save(wanted.name, query, wanted.layout, is_team=True)
        if found is None:
            raise needs_read()
        if isinstance(found, ViewNameTaken):
            raise ApiError(409, "name_taken", "the team has a view of this name")
        if isinstance(found, TooManyViews):
            raise ApiError(409, "too_many_views", f"the team has {found.limit} views already")
        return json_response(saved_view(found, _team_of(request)), 201)


class ViewEndpoint(Endpoint):
    @operation(
        "delete_view",
        "delete a view of the team",
        ResponseBody("the id of the deleted view", DeletedView),
    )
    def delete(self, request: Request, view: str) -> HttpResponseBase:
        number = number_of(view)
        if not saved_views.for_principal(principal_of(request)).delete(number):
            raise not_found()
        return json_response(DeletedView(number))


def _team_of(request: Request) -> str:
    # A key is of one team.
    return principal_of(request).teams[0].slug


def saved_view(view: ViewEntry, team: str) -> SavedViewBody:
    page = list_url(team, view.address)
    return struct_of(SavedViewBody, view, problem=view.problem or None, page=page)
