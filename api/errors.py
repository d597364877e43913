"""The outermost layer: whatever went wrong in a view becomes the one error shape."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import SuspiciousOperation
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework.exceptions import (
    APIException,
    MethodNotAllowed,
    NotAuthenticated,
    PermissionDenied,
)

from api.answers import error
from api.refusal import Refusal
from inspector.archive import room
from inspector.archive.database import UNAVAILABLE
from inspector.archive.readers.not_read import NotRead
from inspector.logs import fields, of_request
from inspector.patience import NobodyHelps

RETRY_SECONDS = 1
RETRY_WHEN_FULL_SECONDS = 10

_LOGGER = logging.getLogger(__name__)


def answer(exception: Exception, context: dict[str, Any]) -> HttpResponse:
    """Django REST framework's exception handler."""
    request: HttpRequest = context["request"]._request
    if isinstance(exception, APIException):
        return _expected(request, exception, context)
    if isinstance(exception, Http404):
        return of_status(request, 404)
    if isinstance(exception, SuspiciousOperation):
        return error(request, 400, "bad_request", str(exception))
    if isinstance(exception, NotRead):
        return _not_read(request, exception)
    if isinstance(exception, NobodyHelps):
        message = "too many bodies are waited for at once; send it again"
        return error(request, 503, "unavailable", message, retry_after=RETRY_SECONDS)
    return _unexpected(request, exception)


def of_status(request: HttpRequest, status: int) -> HttpResponse:
    """For an answer whose reason is told by its status alone."""
    return error(request, status, *plain(status))


def plain(status: int) -> tuple[str, str]:
    return _PLAIN.get(status, ("refused" if status < 500 else "internal_error", "refused"))


def _expected(
    request: HttpRequest, exception: APIException, context: dict[str, Any]
) -> HttpResponse:
    if isinstance(exception, Refusal):
        return error(
            request,
            exception.status_code,
            exception.code,
            exception.message,
            exception.retry_after,
        )
    if isinstance(exception, NotAuthenticated):
        return of_status(request, 401)
    if isinstance(exception, PermissionDenied):
        return error(request, 403, "missing_scope", str(exception.detail))
    response = of_status(request, exception.status_code)
    if isinstance(exception, MethodNotAllowed):
        response["Allow"] = ", ".join(sorted(context["view"].allowed_methods))
    return response


def _not_read(request: HttpRequest, exception: NotRead) -> HttpResponse:
    return error(
        request,
        exception.status,
        exception.cause,
        exception.sentence,
        retry_after=exception.retry_after,
    )


def _unexpected(request: HttpRequest, exception: Exception) -> HttpResponse:
    _LOGGER.exception("a request failed", exc_info=exception, extra=fields(**of_request(request)))
    if isinstance(exception, UNAVAILABLE):
        retry_after = RETRY_WHEN_FULL_SECONDS if room.is_lacking(exception) else RETRY_SECONDS
        return error(request, 503, *unavailable(exception), retry_after=retry_after)
    return of_status(request, 500)


def unavailable(exception: Exception) -> tuple[str, str]:
    """Code and message for what the archive cannot do now."""
    return _FULL if room.is_lacking(exception) else _PLAIN[503]


_FULL = ("storage_full", "there is no room for more; send it again when somebody has made some")
_PLAIN = {
    400: ("bad_request", "the request is malformed"),
    401: ("unauthorized", "send an API key that is in use: Authorization: Bearer <key>"),
    403: ("forbidden", "this is not allowed"),
    404: ("not_found", "there is no such thing here"),
    405: ("method_not_allowed", "this address does not take this method"),
    412: ("changed_meanwhile", "this is not what the If-Match speaks of"),
    500: ("internal_error", "this is a fault of the server; nothing was stored"),
    503: ("unavailable", "the database cannot take this now; send it again"),
}
