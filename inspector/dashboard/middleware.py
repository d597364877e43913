"""The size of a form is looked at before anything reads the form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse

from inspector.dashboard.numerals import whole_number
from inspector.teams.doors import row_of

GetResponse = Callable[[HttpRequest], HttpResponse]


class FormLimit:
    """Stands before the check against forgery, which reads the whole form from anybody.

    What is exempt from that check is the API's, which has a limit of its own.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], args: Any, kwargs: Any
    ) -> HttpResponse | None:
        if getattr(view, "csrf_exempt", False):
            return None
        limit = row_of(request).form_bytes
        length = whole_number(request.META.get("CONTENT_LENGTH") or "0")
        if length is not None and length <= limit:
            return None
        message = f"A form has at most {limit} bytes here."
        return HttpResponse(message, status=413, content_type="text/plain; charset=utf-8")
