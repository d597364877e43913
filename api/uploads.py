"""Uploads that are cut into captures later: parked, and what became of them."""

from django.http.response import HttpResponseBase
from rest_framework.request import Request

from api.api_error import ApiError, existing
from api.authentication import principal_of
from api.lookup import number_of
from api.responses import json_with_etag
from inspector.archive.intake.sent_with import SentWith
from inspector.teams.access import Principal
from inspector.transfer.uploads.kinds import KINDS
from inspector.transfer.uploads.parked import ALONE, TooManyUploads, UploadStatus, for_principal

RETRY_SECONDS = 10
"""A few of the steps (3 s) that cut what waits."""


def parked_upload(
    principal: Principal, kind: str, body: bytes, sent: SentWith = ALONE
) -> UploadStatus:
    """Raise ``ApiError`` 429 where too many of the team wait."""
    found = for_principal(principal, KINDS[kind].scope).park(kind, body, sent)
    if isinstance(found, TooManyUploads):
        message = f"{found.limit} uploads of the team wait to be cut into captures already"
        raise ApiError(429, "too_many_uploads", message, RETRY_SECONDS)
    return found


def upload_response(request: Request, scope: str, upload: str) -> HttpResponseBase:
    found = existing(for_principal(principal_of(request), scope).one(number_of(upload)))
    return json_with_etag(request, found)
