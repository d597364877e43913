"""Error page for a capture that could not be read now (too large, too slow, or too busy)."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from inspector.archive.readers.errors import ReadingError
from inspector.dashboard.page_auth import render_page

GetResponse = Callable[[HttpRequest], HttpResponse]


def not_read_sentence(error: ReadingError) -> str:
    return f"{error.sentence[:1].upper()}{error.sentence[1:]}. The bytes are stored as received."


class NotReadMiddleware:
    """Turns ``ReadingError`` into a page. The API has its own handler."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, ReadingError):
            return None
        context = {"sentence": not_read_sentence(error)}
        response = render_page(request, "dashboard/not_read.html", context, error.status)
        if error.retry_after is not None:
            response["Retry-After"] = str(error.retry_after)
        return response
