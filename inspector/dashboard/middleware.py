"""Middleware of the pages, from the outermost: keeps addresses of links secret, limits the size and
receive time of form bodies before anything parses them, ends idle sessions, and answers with a
sentence for a capture that is too large, too slow or too much to read now.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user
from django.http import HttpRequest, HttpResponse

from inspector.archive.readers.errors import ReadingError
from inspector.archive.readers.messages import ReadingErrorCause
from inspector.dashboard.idle_timeout import check_idle_time
from inspector.dashboard.pages import render_page
from inspector.dashboard.request_values import parse_whole_number
from inspector.teams.access import for_user
from inspector.teams.authorisation import FORM_BYTES, row_of
from inspector.web import turns
from inspector.web.client_address import client_network_of
from inspector.web.client_timeout import (
    ANONYMOUS_WAIT_SECONDS,
    NoWaitSlot,
    allowed_seconds,
    finishes_within,
    is_too_slow,
)

GetResponse = Callable[[HttpRequest], HttpResponse]

METHODS_WITHOUT_BODY = ("GET", "HEAD", "OPTIONS", "TRACE")
RETRY_SECONDS = "1"


BELOW_LINKS = "/shared/"
LINK_HEADERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def tell_nobody_of_links(get_response: GetResponse) -> GetResponse:
    """Set headers on every answer below a link, refusals and errors of the server included: the
    address is a secret, which no other site and no search engine is told.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if request.path_info.startswith(BELOW_LINKS):
            for name, value in LINK_HEADERS.items():
                response[name] = value
        return response

    return middleware


def end_idle_sessions(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        # Without the cookie there is no session, and no query is needed.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION_KEY in request.session:
            check_idle_time(request)
        return get_response(request)

    return middleware


class FormLimit:
    """Runs before the CSRF check, which would read the whole form from anybody.

    CSRF-exempt views belong to the API, which has limits of its own.
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
        length = parse_whole_number(request.META.get("CONTENT_LENGTH") or "0")
        if length is None or length > limit:
            return _error_response(413, f"A form has at most {limit} bytes here.")
        if length > FORM_BYTES and (refusal := _refuse_large(request)):
            return refusal
        return None if request.method in METHODS_WITHOUT_BODY else _read_in_time(request, length)


def _refuse_large(request: HttpRequest) -> HttpResponse | None:
    """Return the error response for a large form of nobody, or of a team over its share."""
    principal = for_user(get_user(request))
    if not principal.is_authenticated:
        return _error_response(
            413, f"Sign in first: without signing in a form has at most {FORM_BYTES} bytes."
        )
    try:
        turns.take_share(principal.owner_of_uploads)
    except turns.OverShare as over:
        return _retry_response(429, f"{over.sentence[:1].upper()}{over.sentence[1:]}.")
    return None


def _read_in_time(request: HttpRequest, length: int) -> HttpResponse | None:
    """Return None once the whole form was received, else the error response."""
    seconds = ANONYMOUS_WAIT_SECONDS if length <= FORM_BYTES else allowed_seconds(length)
    try:
        in_time = finishes_within(lambda: _read_body(request), seconds, client_network_of(request))
    except NoWaitSlot:
        return _retry_response(503, "Too many forms at once. Please send it again.")
    except OSError as error:
        in_time = not is_too_slow(error)
    if not in_time:
        return _error_response(408, "The form took too long. Please send it again.")
    if len(getattr(request, "_body", b"")) < length:
        return _error_response(400, "The form was incomplete. Please send it again.")
    return None


def _read_body(request: HttpRequest) -> None:
    # Django caches the body on first access and parses fields and files from it.
    assert request.body is not None


def _error_response(status: int, sentence: str) -> HttpResponse:
    return HttpResponse(sentence, status=status, content_type="text/plain; charset=utf-8")


def _retry_response(status: int, sentence: str) -> HttpResponse:
    response = _error_response(status, sentence)
    response["Retry-After"] = RETRY_SECONDS
    return response


def not_read_sentence(error: ReadingError) -> str:
    sentence = f"{error.sentence[:1].upper()}{error.sentence[1:]}."
    if error.cause is ReadingErrorCause.DELETED:
        return sentence
    return f"{sentence} The bytes are stored as received."


class NotReadMiddleware:
    """Turns ``ReadingError`` into a page. The API has its own handler."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return not_read_page(request, error) if isinstance(error, ReadingError) else None


def not_read_page(request: HttpRequest, error: ReadingError) -> HttpResponse:
    context = {"sentence": not_read_sentence(error)}
    response = render_page(request, "dashboard/not_read.html", context, error.status)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response
