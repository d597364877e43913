"""A capture minimised for its findings: requested, and what came of it."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.lookup import uuid_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.minimisations import (
    MinimisationList,
    MinimisationRequest,
    minimisation_detail,
)
from api.splits import too_many_tasks
from inspector.archive.annotation import capture_exists
from inspector.archive.background.minimisation_status import (
    NothingToMinimise,
    minimisation_statuses,
    request_minimisation,
)
from inspector.archive.inspection.capture_tasks import TooManyTasks


class MinimisationsEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        found = minimisation_statuses(principal_of(request), uuid_of(capture_id))
        if found is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, MinimisationList(tuple(map(minimisation_detail, found))))

    def post(self, request: Request, capture_id: str) -> HttpResponseBase:
        principal, capture_uuid = principal_of(request), uuid_of(capture_id)
        if not capture_exists(principal, capture_uuid):
            raise not_found()
        read_query_params(request)
        wanted = read_json(request._request, MinimisationRequest)
        found = request_minimisation(principal, capture_uuid, wanted.code, wanted.pointer)
        if found is None:
            raise not_found()
        if isinstance(found, NothingToMinimise):
            raise nothing_to_minimise(found)
        if isinstance(found, TooManyTasks):
            raise too_many_tasks(found)
        return json_response(minimisation_detail(found), 202 if found.is_open else 200)


def nothing_to_minimise(found: NothingToMinimise) -> ApiError:
    if found.has_finding:
        message = "no body can be an example of this finding"
        return ApiError(422, "not_minimisable", message)
    return ApiError(422, "no_such_finding", "the capture has no such finding")
