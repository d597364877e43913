"""What nobody said how to keep is kept by nobody: answers speak of one asker."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

CACHE_CONTROL = "Cache-Control"


def kept_by_nobody(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        response.headers.setdefault(CACHE_CONTROL, "private, no-store")
        return response

    return middleware
