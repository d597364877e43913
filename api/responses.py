"""JSON responses, their ETags, and the one shape of errors."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import msgspec
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from msgspec import UNSET, UnsetType

from inspector.core.json.encoding import encode_json
from inspector.logs.json_log import REFUSAL, REQUEST_ID
from inspector.web.cache_headers import unless_known

if TYPE_CHECKING:
    # An error of the API is told before anything of the framework is needed.
    from rest_framework.request import Request

_STATUS_MESSAGES = {
    400: ("bad_request", "the request is malformed"),
    401: ("unauthorized", "send an API key that is in use: Authorization: Bearer <key>"),
    403: ("forbidden", "this is not allowed"),
    404: ("not_found", "there is no such thing here"),
    405: ("method_not_allowed", "this address does not take this method"),
    412: ("changed_meanwhile", "this is not what the If-Match speaks of"),
    416: ("range_not_satisfiable", "the file has no byte of the range"),
    500: ("internal_error", "this is a fault of the server; nothing was stored"),
    503: ("unavailable", "the database cannot take this now; send it again"),
}


class ErrorDetail(msgspec.Struct, frozen=True, kw_only=True):
    """The reason of a refusal: `code` for programs, `message` for people."""

    code: str
    message: str
    request_id: str
    status_code: int | UnsetType = UNSET
    """Only in errors of the vote endpoints, whose clients read it there."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of every error."""

    error: ErrorDetail


def json_response(body: msgspec.Struct | dict[str, Any], status: int = 200) -> HttpResponse:
    return json_bytes_response(encode_json(body), status)


def json_bytes_response(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def json_with_etag(request: Request, body: msgspec.Struct) -> HttpResponseBase:
    encoded = encode_json(body)
    return unless_known(request._request, etag_of(encoded), lambda: json_bytes_response(encoded))


def etag_of(body: bytes) -> str:
    """Return a strong ETag: the body's own hash."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'


def error_response(
    request: HttpRequest, status: int, code: str, message: str, retry_after: int | None = None
) -> HttpResponse:
    request.META[REFUSAL] = code
    detail = ErrorDetail(code=code, message=message, request_id=request.META.get(REQUEST_ID, ""))
    response = json_response(ErrorBody(detail), status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def status_error(request: HttpRequest, status: int) -> HttpResponse:
    """Return the error response for a status that needs no further explanation."""
    return error_response(request, status, *status_message(status))


def status_message(status: int) -> tuple[str, str]:
    return _STATUS_MESSAGES.get(
        status, ("refused" if status < 500 else "internal_error", "refused")
    )
