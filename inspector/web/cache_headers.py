"""Cache headers and conditional requests.

Every response is for one principal, so one without explicit headers is not stored at all. A client
revalidates each time (``no-cache``): a capture that was deleted, or may no longer be seen, is gone
at once. ETags are compared only after the object was found for this principal.
"""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

GetResponse = Callable[[HttpRequest], HttpResponse]

CACHE_CONTROL = "Cache-Control"
ASK_AGAIN = "private, no-cache"


def no_store_by_default(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(CACHE_CONTROL, "private, no-store")
        return response

    return middleware


def unless_known(
    request: HttpRequest, etag: str, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """304 where the client has this version (RFC 9110, section 13), else ``make()``."""
    headers = {"ETag": etag, CACHE_CONTROL: ASK_AGAIN}
    # Django answers 304 with the headers of the response it is given, so this one needs the ETag.
    bare = HttpResponse(headers=headers)
    found = get_conditional_response(request, etag, response=bare)
    if found is not None and found is not bare:
        return found
    response = make()
    for name, value in headers.items():
        response[name] = value
    return response
