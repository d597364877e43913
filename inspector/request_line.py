"""One line in the log for every request; outermost, so that none is left out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.logs import REFUSAL, fields, of_request

_LOGGER = logging.getLogger(__name__)


def one_line(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        took_ms = round((time.perf_counter() - began) * 1000, 1)
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        _LOGGER.log(level, "request", extra=fields(**told(request, response, took_ms)))
        return response

    return middleware


def told(request: HttpRequest, response: HttpResponse, took_ms: float) -> dict[str, Any]:
    refusal = request.META.get(REFUSAL)
    return {
        **of_request(request),
        "status": response.status_code,
        **({"refusal": refusal} if refusal else {}),
        "ms": took_ms,
    }
