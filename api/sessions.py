"""Sessions listed and shown."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.lookup import uuid_of
from api.query_params import read_query_params
from api.responses import json_with_etag
from api.schemas.sessions import session_detail, session_list
from inspector.archive.listing.cursor import BadCursor
from inspector.sessions import queries
from inspector.sessions.queries import MAX_PAGE_ROWS, PAGE_ROWS


class SessionListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        params = read_query_params(request, once=("cursor", "limit"))
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        sessions = queries.for_principal(principal_of(request))
        try:
            found = sessions.page(params.one("cursor"), limit)
        except BadCursor as error:
            raise ApiError(422, "invalid_parameter", "this is no cursor of this list") from error
        return json_with_etag(request, session_list(found))


class SessionEndpoint(APIView):
    def get(self, request: Request, session: str) -> HttpResponseBase:
        params = read_query_params(request, once=("first",))
        sessions = queries.for_principal(principal_of(request))
        page = sessions.one(uuid_of(session), params.number("first", 1))
        if page is None:
            raise not_found()
        return json_with_etag(request, session_detail(page))
