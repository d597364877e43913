"""Every JSON answer, the one error shape included."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.archive.readers.answers import encode
from inspector.logs import REFUSAL, REQUEST_ID

__all__ = ["answer", "encode", "error", "of_json"]


def answer(value: Any, status: int = 200) -> HttpResponse:
    return of_json(encode(value), status)


def of_json(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def error(
    request: HttpRequest, status: int, code: str, message: str, retry_after: int | None = None
) -> HttpResponse:
    request.META[REFUSAL] = code
    request_id = request.META.get(REQUEST_ID, "")
    body = {"error": {"code": code, "message": message, "request_id": request_id}}
    response = answer(body, status)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response
