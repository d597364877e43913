"""Requests that pages of other origins may send, as the Fetch standard has it (CORS).

Whether a key lists an origin is told to whoever has the key: any page may ask before that, and gets
the same answer.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from rest_framework.request import Request
from rest_framework.views import APIView

from api.page_origin import PAGES, page_origin

PREFLIGHT_SECONDS = 7200
"""Browsers keep an answer no longer."""
METHODS = "POST"
SENT_HEADERS = "Authorization, Content-Type, Idempotency-Key"
READ_HEADERS = "Retry-After, X-Request-ID"


class TakesPages(APIView):
    """A view that pages of other origins may post to."""

    takes_pages = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # It carries no key, and is asked for none.
        if not _is_preflight(request._request):
            super().initial(request, *args, **kwargs)

    def options(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        if not _is_preflight(request._request):
            return super().options(request, *args, **kwargs)
        return HttpResponse(
            status=204,
            headers={
                "Access-Control-Allow-Origin": page_origin(request._request) or "",
                "Access-Control-Allow-Methods": METHODS,
                "Access-Control-Allow-Headers": SENT_HEADERS,
                "Access-Control-Max-Age": str(PREFLIGHT_SECONDS),
            },
        )

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        found = super().finalize_response(request, response, *args, **kwargs)
        patch_vary_headers(found, ["Origin"])
        origin = page_origin(request._request)
        if origin is not None and origin in request._request.META.get(PAGES, ()):
            found["Access-Control-Allow-Origin"] = origin
            found["Access-Control-Expose-Headers"] = READ_HEADERS
        return found


def _is_preflight(request: HttpRequest) -> bool:
    asks = "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in request.META
    return request.method == "OPTIONS" and asks and page_origin(request) is not None
