"""An answer of 4xx, raised where the reason is found and written where all answers are."""

from typing import TypeVar

from rest_framework.exceptions import APIException

from inspector.archive.intake import exchange_envelope
from inspector.core.json import document as json_document
from inspector.core.json.document import BadDocument

Found = TypeVar("Found")
_DOCUMENT_STATUSES = {
    json_document.INVALID_JSON: 400,
    json_document.TOO_MANY_VALUES: 413,
    json_document.INVALID_PROTOBUF: 400,
    json_document.INVALID_PARAMETER: 422,
    json_document.INVALID_KEY: 422,
    json_document.UNREADABLE: 422,
    json_document.TOO_MANY_ENTRIES: 413,
    json_document.NOT_READ: 500,
    exchange_envelope.INVALID: 422,
    exchange_envelope.NEWER_FORM: 422,
    exchange_envelope.OTHER_BYTES: 422,
}


class ApiError(APIException):
    def __init__(self, status: int, code: str, message: str, retry_after: int | None = None):
        super().__init__(message, code)
        self.status_code = status
        self.code = code
        self.message = message
        self.retry_after = retry_after


def not_found() -> ApiError:
    # The same answer for what does not exist and what the caller may not see.
    return ApiError(404, "not_found", "there is no such thing here")


def existing(found: Found | None) -> Found:
    """Raise ``ApiError`` 404 where nothing was found."""
    if found is None:
        raise not_found()
    return found


def needs_read() -> ApiError:
    """Return the refusal of what tells what captures hold to a key that may not read."""
    return ApiError(403, "missing_scope", "this also needs the scope read")


def document_error(error: BadDocument) -> ApiError:
    return ApiError(_DOCUMENT_STATUSES[error.code], error.code, error.message)
