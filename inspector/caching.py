"""How answers may be kept: each speaks of one asker, so what nobody said how to keep is kept by
nobody, and what a client has already is not sent again.

A client asks again every time (``no-cache``): what was deleted, or is no longer theirs, is gone at
once. An ETag is compared only after what it stands for was found for this asker.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

GetResponse = Callable[[HttpRequest], HttpResponse]

CACHE_CONTROL = "Cache-Control"
ASK_AGAIN = "private, no-cache"


def kept_by_nobody(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(CACHE_CONTROL, "private, no-store")
        return response

    return middleware


def unless_known(
    request: HttpRequest, etag: str, make: Callable[[], HttpResponse]
) -> HttpResponseBase:
    """304 where the client has it already (RFC 9110, 13), else what ``make`` makes."""
    headers = {"ETag": etag, CACHE_CONTROL: ASK_AGAIN}
    bare = HttpResponse(headers=headers)
    found = get_conditional_response(request, etag, response=bare)
    if found is not None and found is not bare:
        return found
    response = make()
    for name, value in headers.items():
        response[name] = value
    return response
