"""JSON responses, and the one shape of errors."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.archive.readers.response_json import encode_json
from inspector.logs.json_log import REFUSAL, REQUEST_ID

__all__ = ["json_response", "encode_json", "error_response", "json_bytes_response"]


def json_response(value: Any, status: int = 200) -> HttpResponse:
    return json_bytes_response(encode_json(value), status)


def json_bytes_response(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def error_response(
    request: HttpRequest, status: int, code: str, message: str, retry_after: int | None = None
) -> HttpResponse:
    request.META[REFUSAL] = code
    request_id = request.META.get(REQUEST_ID, "")
    body = {"error": {"code": code, "message": message, "request_id": request_id}}
    response = json_response(body, status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
