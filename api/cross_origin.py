"""Requests that pages of other origins may send, as the Fetch standard has it (CORS).

A key that lists origins sends captures from pages of these, and does nothing else. Whether it lists
one is told to whoever has the key: any page may ask before that, and gets the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers

from api.api_error import ApiError
from inspector.teams.access import Principal

if TYPE_CHECKING:
    # The framework's views import this module by its name in the settings.
    from rest_framework.request import Request
    from rest_framework.views import APIView as View
else:
    View = object

PAGES = "inspector.pages"
"""In a request's META: the origins that its key lists."""
WEB_SCHEMES = ("http://", "https://")
PREFLIGHT_SECONDS = 7200
"""Browsers keep an answer no longer."""
METHODS = "POST"
SENT_HEADERS = "Authorization, Content-Type, Idempotency-Key"
READ_HEADERS = "Retry-After, X-Request-ID"


class TakesPages(View):
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


def require_page(request: HttpRequest, principal: Principal, *, takes_pages: bool) -> None:
    """Raise ``ApiError`` where key and page do not belong together."""
    origin = page_origin(request)
    if not principal.origins:
        if takes_pages and request.method == "POST" and origin is not None:
            raise _refusal("this key lists no origin, so no page of another one may use it")
        return
    if not takes_pages or request.method != "POST":
        raise _refusal("this key sends captures from the pages that it lists, and nothing else")
    if origin not in principal.origins:
        raise _refusal("this key does not list the origin of the page")


def page_origin(request: HttpRequest) -> str | None:
    """Return the origin of a page that is not ours; None for our own pages, extensions and
    programs.
    """
    origin = request.META.get("HTTP_ORIGIN")
    is_web = origin is not None and (origin == "null" or origin.startswith(WEB_SCHEMES))
    return str(origin) if is_web and origin != settings.ORIGIN else None


def _refusal(message: str) -> ApiError:
    return ApiError(403, "origin_not_listed", message)
