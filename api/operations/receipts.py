"""Receipts of deleted captures: listed and found."""

from api.operations.operation import (
    IF_NONE_MATCH,
    UNCHANGED,
    Endpoint,
    Operation,
    Parameter,
    ResponseBody,
    limit,
)
from api.schemas.addresses import V1
from api.schemas.receipts import ReceiptList
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.teams.access import READ

TAG = "receipts"
TAG_TEXTS = {TAG: "What is kept of deleted captures"}

RECEIPTS = Endpoint(
    "api:receipts",
    f"{V1}receipts/",
    TAG,
    (
        Operation(
            "GET",
            "list_receipts",
            READ,
            "list the receipts that are kept of deleted captures",
            {200: ResponseBody("one page", ReceiptList), 304: UNCHANGED},
            parameters=(
                Parameter("id", "id of the capture", schema={"type": "string", "format": "uuid"}),
                Parameter("sha256", "SHA-256 of its bytes, 64 hexadecimal digits"),
                Parameter(
                    "cursor", "`next_cursor` of a page: deletions older than this, newest first"
                ),
                limit(MAX_PAGE_ROWS),
                IF_NONE_MATCH,
            ),
        ),
    ),
)
ENDPOINTS = (RECEIPTS,)
