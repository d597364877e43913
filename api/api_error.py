"""An answer of 4xx, raised where the reason is found and written where all answers are."""

from __future__ import annotations

from rest_framework.exceptions import APIException


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
