"""Logs and counts every request. Outermost middleware, so that none is left out."""

import logging
import time
from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.logs.json_log import REFUSAL, fields, request_fields
from inspector.metrics import figures
from inspector.metrics.figures import Figures
from inspector.metrics.route_class import route_class

_LOGGER = logging.getLogger(__name__)


def access_log_middleware(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        began = time.perf_counter()
        response = get_response(request)
        seconds = time.perf_counter() - began
        if (counted := figures.FIGURES) is not None:
            _count(counted, request, response, seconds)
        took_ms = round(seconds * 1000, 1)
        level = logging.ERROR if response.status_code >= 500 else logging.INFO
        _LOGGER.log(level, "request", extra=fields(**response_fields(request, response, took_ms)))
        return response

    return middleware


def response_fields(request: HttpRequest, response: HttpResponse, took_ms: float) -> dict[str, Any]:
    refusal = request.META.get(REFUSAL)
    return {
        **request_fields(request),
        "status": response.status_code,
        **({"refusal": refusal} if refusal else {}),
        "ms": took_ms,
    }


def _count(counted: Figures, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
    announced: str = request.META.get("CONTENT_LENGTH") or ""
    counted.request(
        route_class(request),
        response.status_code,
        seconds,
        int(announced) if announced.isascii() and announced.isdecimal() else 0,
        None if response.streaming else len(response.content),
    )
