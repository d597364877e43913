"""Receipts of deleted captures: listed and found."""

from api.operations.operation import Parameter, ResponseBody, get, limit, v1
from api.schemas.receipts import ReceiptList
from inspector.archive.queries import MAX_PAGE_ROWS
from inspector.teams.access import READ

TAG = "receipts"
TAG_TEXTS = {TAG: "What is kept of deleted captures"}

RECEIPTS = v1(
    "receipts",
    "receipts/",
    TAG,
    get(
        "list_receipts",
        READ,
        "list the receipts that are kept of deleted captures",
        ResponseBody("one page", ReceiptList),
        Parameter("id", "id of the capture", schema={"type": "string", "format": "uuid"}),
        Parameter("sha256", "SHA-256 of its bytes, 64 hexadecimal digits"),
        Parameter("cursor", "`next_cursor` of a page: deletions older than this, newest first"),
        limit(MAX_PAGE_ROWS),
    ),
)
ENDPOINTS = (RECEIPTS,)
