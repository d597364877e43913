"""The page that a request comes from, and whether its key is for that page.

A key that lists origins sends captures from pages of these, and does nothing else.
"""

from django.conf import settings
from django.http import HttpRequest

from api.api_error import ApiError
from inspector.teams.access import Principal

PAGES = "inspector.pages"
"""In a request's META: the origins that its key lists."""
WEB_SCHEMES = ("http://", "https://")


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
