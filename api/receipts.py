"""Receipts of deleted captures, listed and found by id or hash."""

from uuid import UUID

import msgspec
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.authentication import principal_of
from api.endpoint import Endpoint
from api.operation import Parameter, ResponseBody, conditional_get, row_limit
from api.query_params import invalid_parameter
from api.responses import json_with_etag
from inspector.archive import receipts
from inspector.archive.queries import MAX_PAGE_ROWS, PAGE_ROWS
from inspector.archive.receipts import KeptReceipt, ReceiptFilters, parse_sha256


class ReceiptList(msgspec.Struct, frozen=True):
    """One page of receipts, the newest deletion first. `next_cursor`, sent as `cursor`, leads to
    the next page.
    """

    receipts: tuple[KeptReceipt, ...]
    next_cursor: str | None


class ReceiptListEndpoint(Endpoint):
    @conditional_get(
        "list_receipts",
        "list the receipts that are kept of deleted captures",
        ResponseBody("one page", ReceiptList),
        Parameter("id", "id of the capture", schema={"type": "string", "format": "uuid"}),
        Parameter("sha256", "SHA-256 of its bytes, 64 hexadecimal digits"),
        Parameter("cursor", "`next_cursor` of a page: deletions older than this, newest first"),
        row_limit(MAX_PAGE_ROWS),
    )
    def get(self, request: Request) -> HttpResponseBase:
        params = self.params
        limit = min(params.number("limit", PAGE_ROWS), MAX_PAGE_ROWS)
        filters = ReceiptFilters(_id_of(params.one("id")), _sha256_of(params.one("sha256")))
        kept = receipts.for_principal(principal_of(request))
        found = kept.page(params.one("cursor"), limit=limit, filters=filters)
        return json_with_etag(request, ReceiptList(found.receipts, found.older))


def _id_of(text: str | None) -> UUID | None:
    try:
        return None if text is None else UUID(text)
    except ValueError as error:
        raise invalid_parameter("id", "is no id of a capture") from error


def _sha256_of(text: str | None) -> str | None:
    found = None if text is None else parse_sha256(text)
    if text is not None and found is None:
        raise invalid_parameter("sha256", "is no SHA-256")
    return found
