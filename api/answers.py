"""Every JSON answer, the one error shape included."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.logs import REFUSAL, REQUEST_ID


def answer(value: Any, status: int = 200) -> HttpResponse:
    return of_json(encode(value), status)


def of_json(body: bytes, status: int = 200) -> HttpResponse:
    return HttpResponse(body, status=status, content_type="application/json")


def encode(value: Any) -> bytes:
    """Valid JSON whatever the value holds: a lone surrogate has no UTF-8 but has an escape."""
    try:
        text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=True, separators=(",", ":"))
    return text.encode()


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


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN: they are shown as text."""
    if isinstance(value, float) and not isfinite(value):
        return str(value)
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    return value
