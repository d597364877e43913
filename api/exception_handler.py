"""Turns every exception of a view into the one error shape."""

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

from api.api_error import ApiError, document_error
from api.responses import error_response, status_error, status_message
from inspector.archive.listing.cursor import BadCursor
from inspector.archive.readers.errors import ReadingError
from inspector.archive.storage import disk_space
from inspector.core.json.document import BadDocument
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields, request_fields
from inspector.web.client_timeout import NoWaitSlot

RETRY_SECONDS = 1
"""A lock or a connection is free again within moments."""
RETRY_WHEN_FULL_SECONDS = 10
"""A disk is not emptied within one."""

_LOGGER = logging.getLogger(__name__)


def handle_exception(exception: Exception, context: dict[str, Any]) -> HttpResponse:
    """Django REST framework's exception handler."""
    request: HttpRequest = context["request"]._request
    if isinstance(exception, BadDocument):
        exception = document_error(exception)
    if isinstance(exception, BadCursor):
        exception = ApiError(422, "invalid_parameter", "this is no cursor of this list")
    if isinstance(exception, APIException):
        return _api_exception(request, exception, context)
    if isinstance(exception, Http404):
        return status_error(request, 404)
    if isinstance(exception, SuspiciousOperation):
        return error_response(request, 400, "bad_request", str(exception))
    if isinstance(exception, ReadingError):
        return _not_read(request, exception)
    if isinstance(exception, NoWaitSlot):
        message = "too many bodies are waited for at once; send it again"
        return error_response(request, 503, "unavailable", message, retry_after=RETRY_SECONDS)
    return _unexpected(request, exception)


def _api_exception(
    request: HttpRequest, exception: APIException, context: dict[str, Any]
) -> HttpResponse:
    if isinstance(exception, ApiError):
        return error_response(
            request, exception.status_code, exception.code, exception.message, exception.retry_after
        )
    if isinstance(exception, NotAuthenticated):
        return status_error(request, 401)
    if isinstance(exception, PermissionDenied):
        return error_response(request, 403, "missing_scope", str(exception.detail))
    response = status_error(request, exception.status_code)
    if isinstance(exception, MethodNotAllowed):
        response["Allow"] = ", ".join(sorted(context["view"].allowed_methods))
    return response


def _not_read(request: HttpRequest, exception: ReadingError) -> HttpResponse:
    return error_response(
        request,
        exception.status,
        exception.cause,
        exception.sentence,
        retry_after=exception.retry_after,
    )


def _unexpected(request: HttpRequest, exception: Exception) -> HttpResponse:
    _LOGGER.exception(
        "a request failed", exc_info=exception, extra=fields(**request_fields(request))
    )
    if isinstance(exception, UNAVAILABLE):
        retry_after = (
            RETRY_WHEN_FULL_SECONDS if disk_space.is_disk_full(exception) else RETRY_SECONDS
        )
        return error_response(
            request, 503, *unavailable_message(exception), retry_after=retry_after
        )
    return status_error(request, 500)


def unavailable_message(exception: Exception) -> tuple[str, str]:
    """Code and message for what the archive cannot do now."""
    return _STORAGE_FULL if disk_space.is_disk_full(exception) else status_message(503)


_STORAGE_FULL = (
    "storage_full",
    "there is no room for more; send it again when somebody has made some",
)
