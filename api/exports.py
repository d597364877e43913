"""Exports: a query's captures as one file, written in the background and fetched when done."""

from typing import Literal

import msgspec
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.api_error import ApiError, existing, not_found
from api.authentication import principal_of
from api.body import read_json
from api.captures.filters import capture_conditions_of
from api.endpoint import Endpoint
from api.lookup import number_of
from api.operation import (
    IF_NONE_MATCH,
    JSON,
    OCTETS,
    UNCHANGED,
    ResponseBody,
    conditional_get,
    header,
    operation,
)
from api.responses import json_response, json_with_etag
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.transfer.exports import exports
from inspector.transfer.exports.download import download_export
from inspector.transfer.exports.exports import Exports, ExportStatus, TooManyExports

RETRY_SECONDS = 60
"""A file of many captures takes minutes; a place is not free sooner."""
RANGE = header("Range", "one range of bytes, so that a download that broke off goes on")
IF_RANGE = header("If-Range", "the file's ETag; the whole file if it is another one")
FILE_TYPES = ("application/x-ndjson", "text/csv", JSON, "application/zip", OCTETS)
ExportFormat = Literal["jsonl", "csv", "har", "zip"]


class ExportRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Requests an export of all captures that the filters in the query match."""

    format: ExportFormat = "jsonl"


class ExportList(msgspec.Struct, frozen=True):
    """Newest first."""

    exports: tuple[ExportStatus, ...]


class ExportListEndpoint(Endpoint):
    @conditional_get(
        "list_exports",
        "list the exports of the team",
        ResponseBody("the exports, newest first", ExportList),
    )
    def get(self, request: Request) -> HttpResponseBase:
        return json_with_etag(request, ExportList(_exports_of(request).recent()))

    @operation(
        "create_export",
        "write all captures of a query into a file, in the background",
        ResponseBody("requested", ExportStatus, status=202),
        reads=ExportRequest,
        filters=CAPTURE_FIELDS,
    )
    def post(self, request: Request) -> HttpResponseBase:
        conditions = capture_conditions_of(self.params.values)
        wanted = read_json(request._request, ExportRequest)
        found = _exports_of(request).request(wanted.format, conditions)
        if found is None:
            raise not_found()
        if isinstance(found, TooManyExports):
            message = f"{found.limit} exports of the team are open already"
            raise ApiError(429, "too_many_jobs", message, RETRY_SECONDS)
        return json_response(found, 202)


class ExportEndpoint(Endpoint):
    @conditional_get(
        "show_export", "get how far an export is", ResponseBody("the export", ExportStatus)
    )
    def get(self, request: Request, export: str) -> HttpResponseBase:
        return json_with_etag(request, existing(_exports_of(request).one(number_of(export))))

    @operation(
        "delete_export",
        "end an export, or take its file away",
        ResponseBody("the export", ExportStatus),
    )
    def delete(self, request: Request, export: str) -> HttpResponseBase:
        return json_response(existing(_exports_of(request).delete(number_of(export))))


class ExportFileEndpoint(Endpoint):
    @operation(
        "download_export",
        "get the file of a finished export, or a range of it",
        ResponseBody("the file", bytes, FILE_TYPES),
        ResponseBody("a range of it", bytes, FILE_TYPES, status=206),
        UNCHANGED,
        RANGE,
        IF_RANGE,
        IF_NONE_MATCH,
        errors=(416,),
    )
    def get(self, request: Request, export: str) -> HttpResponseBase:
        found = _exports_of(request)
        file = existing(found.file(number_of(export)))
        return download_export(request._request, file, lambda: found.note_download(file))


def _exports_of(request: Request) -> Exports:
    return exports.for_principal(principal_of(request))
