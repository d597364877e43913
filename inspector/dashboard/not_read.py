"""What a page says where something was not read for whoever asks."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from inspector.archive.readers.not_read import NotRead
from inspector.dashboard.asking import answer

GetResponse = Callable[[HttpRequest], HttpResponse]


def sentence_of(error: NotRead) -> str:
    return f"{error.sentence[:1].upper()}{error.sentence[1:]}. The bytes are stored as received."


class NotReadPage:
    """Answers for every page that has nothing better to show. The API has its own answer."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, NotRead):
            return None
        context = {"sentence": sentence_of(error)}
        response = answer(request, "dashboard/not_read.html", context, error.status)
        if error.retry_after is not None:
            response["Retry-After"] = str(error.retry_after)
        return response
