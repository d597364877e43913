"""A form is looked at and read, within limits of size and of time, before anything asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponse

from inspector.dashboard.numerals import whole_number
from inspector.patience import STRANGER_SECONDS, NobodyHelps, allowed_seconds, finishes, is_too_slow
from inspector.peers import asker_of
from inspector.teams.authorisation import FORM_BYTES
from inspector.teams.doors import row_of

GetResponse = Callable[[HttpRequest], HttpResponse]

WITHOUT_FORM = ("GET", "HEAD", "OPTIONS", "TRACE")
RETRY_SECONDS = "1"


class FormLimit:
    """Stands before the check against forgery, which reads the whole form from anybody.

    What is exempt from that check is the API's, which has limits of its own.
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
        if length is None or length > limit:
            return _refusal(413, f"A form has at most {limit} bytes here.")
        if length > FORM_BYTES and not get_user(request).is_authenticated:
            return _refusal(
                413, f"Sign in first: without signing in a form has at most {FORM_BYTES} bytes."
            )
        return None if request.method in WITHOUT_FORM else _unread(request, length)


def _unread(request: HttpRequest, length: int) -> HttpResponse | None:
    """None once the whole form is there; else why it is not."""
    seconds = STRANGER_SECONDS if length <= FORM_BYTES else allowed_seconds(length)
    try:
        in_time = finishes(lambda: _read(request), seconds, asker_of(request))
    except NobodyHelps:
        busy = _refusal(503, "Too many forms at once. Please send it again.")
        busy["Retry-After"] = RETRY_SECONDS
        return busy
    except OSError as error:
        in_time = not is_too_slow(error)
    if not in_time:
        return _refusal(408, "The form took too long. Please send it again.")
    if len(getattr(request, "_body", b"")) < length:
        return _refusal(400, "The form was incomplete. Please send it again.")
    return None


def _read(request: HttpRequest) -> None:
    """Django keeps what it read: the body, from which fields and files are taken later."""
    assert request.body is not None


def _refusal(status: int, sentence: str) -> HttpResponse:
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")
