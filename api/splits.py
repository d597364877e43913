"""A capture read at every split: requested, and what it found."""

from __future__ import annotations

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.lookup import uuid_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from inspector.archive.background.split_status import request_splits, split_status
from inspector.archive.inspection.capture_tasks import TooManyTasks

RETRY_SECONDS = 60


class SplitsEndpoint(APIView):
    def get(self, request: Request, capture_id: str) -> HttpResponseBase:
        read_query_params(request)
        found = split_status(principal_of(request), uuid_of(capture_id))
        if found is None:
            raise not_found()
        return json_with_etag(request, found)

    def post(self, request: Request, capture_id: str) -> HttpResponseBase:
        found = request_splits(principal_of(request), uuid_of(capture_id))
        if found is None:
            raise not_found()
        read_query_params(request)
        if isinstance(found, TooManyTasks):
            raise too_many_tasks(found)
        return json_response(found, 202)


def too_many_tasks(found: TooManyTasks) -> ApiError:
    message = f"{found.limit} tasks of the team are open already"
    return ApiError(429, "too_many_tasks", message, RETRY_SECONDS)
