"""A request id for every request, and the one error shape for everything the API answers.

Outermost, because a refused host or a fault in another middleware is an answer, too.
"""

from __future__ import annotations

from collections.abc import Callable

import uuid6
from django.http import HttpRequest, HttpResponse

from api.answers import REQUEST_ID
from api.errors import of_status

HEADER = "X-Request-ID"


def one_shape(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = request.META[REQUEST_ID] = uuid6.uuid7().hex
        response = get_response(request)
        if is_api(request.path) and _is_foreign(response):
            response = _reshaped(request, response)
        response[HEADER] = request_id
        return response

    return middleware


def is_api(path: str) -> bool:
    return path in ("/api", "/livez", "/readyz") or path.startswith("/api/")


def _is_foreign(response: HttpResponse) -> bool:
    return response.status_code >= 400 and response["Content-Type"] != "application/json"


def _reshaped(request: HttpRequest, foreign: HttpResponse) -> HttpResponse:
    response = of_status(request, foreign.status_code)
    if "Allow" in foreign:
        response["Allow"] = foreign["Allow"]
    return response
