"""Exports: requested, followed, fetched, deleted."""

from api.operations.filter_parameters import filter_parameters
from api.operations.operation import (
    IF_NONE_MATCH,
    JSON,
    OCTETS,
    UNCHANGED,
    Operation,
    ResponseBody,
    get,
    header,
    in_path,
    v1,
)
from api.schemas.exports import ExportList, ExportRequest
from inspector.archive.listing.capture_fields import CAPTURE_FIELDS
from inspector.teams.access import EXPORT
from inspector.transfer.exports.exports import ExportStatus

TAG = "exports"
TAG_TEXTS = {TAG: "A query's captures as one file"}
EXPORT_ID = in_path("export", "id of the export")
RANGE = header("Range", "one range of bytes, so that a download that broke off goes on")
IF_RANGE = header("If-Range", "the file's ETag; the whole file if it is another one")
FILE_TYPES = ("application/x-ndjson", "text/csv", JSON, "application/zip", OCTETS)

EXPORTS = v1(
    "exports",
    "exports/",
    TAG,
    get(
        "list_exports",
        EXPORT,
        "list the exports of the team",
        ResponseBody("the exports, newest first", ExportList),
    ),
    Operation(
        "POST",
        "create_export",
        EXPORT,
        "write all captures of a query into a file, in the background",
        {202: ResponseBody("requested", ExportStatus)},
        errors=(429,),
        parameters=tuple(filter_parameters(CAPTURE_FIELDS)),
        body={JSON: ExportRequest},
    ),
)
EXPORT_ONE = v1(
    "export",
    "exports/<str:export>/",
    TAG,
    get(
        "show_export",
        EXPORT,
        "get how far an export is",
        ResponseBody("the export", ExportStatus),
        EXPORT_ID,
        errors=(404,),
    ),
    Operation(
        "DELETE",
        "delete_export",
        EXPORT,
        "end an export, or take its file away",
        {200: ResponseBody("the export", ExportStatus)},
        errors=(404,),
        parameters=(EXPORT_ID,),
    ),
)
EXPORT_FILE = v1(
    "export-file",
    "exports/<str:export>/file/",
    TAG,
    Operation(
        "GET",
        "download_export",
        EXPORT,
        "get the file of a finished export, or a range of it",
        {
            200: ResponseBody("the file", bytes, FILE_TYPES),
            206: ResponseBody("a range of it", bytes, FILE_TYPES),
            304: UNCHANGED,
        },
        errors=(404, 416),
        parameters=(EXPORT_ID, RANGE, IF_RANGE, IF_NONE_MATCH),
    ),
)
ENDPOINTS = (EXPORTS, EXPORT_ONE, EXPORT_FILE)
