"""The saved views of a team: listed, saved, deleted."""

from urllib.parse import parse_qs

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures import capture_conditions_of
from api.lookup import number_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.views import DeletedView, NewView, SavedViewList, saved_view
from inspector.archive import saved_views
from inspector.archive.saved_views import TooManyViews, ViewNameTaken


class ViewListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        views, team = saved_views.for_principal(principal_of(request)).all(), _team_of(request)
        return json_with_etag(request, SavedViewList(tuple(saved_view(v, team) for v in views)))

    def post(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        wanted = read_json(request._request, NewView)
        query = str(capture_conditions_of(parse_qs(wanted.query, keep_blank_values=True)))
        door = saved_views.for_principal(principal_of(request))
        found = door.save(wanted.name, query, wanted.layout, is_team=True)
        if found is None:
            raise ApiError(403, "missing_scope", "this also needs the scope read")
        if isinstance(found, ViewNameTaken):
            raise ApiError(409, "name_taken", "the team has a view of this name")
        if isinstance(found, TooManyViews):
            raise ApiError(409, "too_many_views", f"the team has {found.limit} views already")
        return json_response(saved_view(found, _team_of(request)), 201)


class ViewEndpoint(APIView):
    def delete(self, request: Request, view: str) -> HttpResponseBase:
        number = number_of(view)
        if not saved_views.for_principal(principal_of(request)).delete(number):
            raise not_found()
        read_query_params(request)
        return json_response(DeletedView(number))


def _team_of(request: Request) -> str:
    # A key is of one team.
    return principal_of(request).teams[0].slug
