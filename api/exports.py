"""Exports: a query's captures as one file, written in the background and fetched when done."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures import requested_conditions
from api.lookup import number_of
from api.query_params import read_query_params
from api.responses import json_response, json_with_etag
from api.schemas.exports import ExportList, ExportRequest
from inspector.transfer.exports import exports
from inspector.transfer.exports.download import download_export
from inspector.transfer.exports.exports import Exports, TooManyExports

RETRY_SECONDS = 60
"""A file of many captures takes minutes; a place is not free sooner."""


class ExportListEndpoint(APIView):
    def get(self, request: Request) -> HttpResponseBase:
        read_query_params(request)
        return json_with_etag(request, ExportList(_exports_of(request).recent()))

    def post(self, request: Request) -> HttpResponseBase:
        conditions = requested_conditions(request)
        wanted = read_json(request._request, ExportRequest)
        found = _exports_of(request).request(wanted.format, conditions)
        if found is None:
            raise not_found()
        if isinstance(found, TooManyExports):
            message = f"{found.limit} exports of the team are open already"
            raise ApiError(429, "too_many_jobs", message, RETRY_SECONDS)
        return json_response(found, 202)


class ExportEndpoint(APIView):
    def get(self, request: Request, export: str) -> HttpResponseBase:
        found = _exports_of(request).one(number_of(export))
        if found is None:
            raise not_found()
        read_query_params(request)
        return json_with_etag(request, found)

    def delete(self, request: Request, export: str) -> HttpResponseBase:
        read_query_params(request)
        found = _exports_of(request).delete(number_of(export))
        if found is None:
            raise not_found()
        return json_response(found)


class ExportFileEndpoint(APIView):
    def get(self, request: Request, export: str) -> HttpResponseBase:
        read_query_params(request)
        found = _exports_of(request)
        file = found.file(number_of(export))
        if file is None:
            raise not_found()
        return download_export(request._request, file, lambda: found.note_download(file))


def _exports_of(request: Request) -> Exports:
    return exports.for_principal(principal_of(request))
