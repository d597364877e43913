"""A request id for every request, an end in time for those that only ask, and the one error shape
for everything the API answers.

Outermost, because a refused host or a fault in another middleware is an answer, too.
"""

import logging
import re
from collections.abc import Callable
from contextlib import suppress

import uuid6
from django.conf import settings
from django.http import HttpRequest, HttpResponse

from api.responses import error_response, status_error
from inspector.logs.json_log import REQUEST_ID, fields, request_fields
from inspector.web.client_address import client_network_of
from inspector.web.client_timeout import NoWaitSlot, finishes_within
from inspector.web.deadline import DeadlineExceeded, interrupt_after

HEADER = "X-Request-ID"
PIECE_BYTES = 1 << 16
READ_ON_BYTES = 1 << 26
"""Twice the largest body that is taken."""
READ_ON_SECONDS = 2.0
"""Time for the rest of a body; later bytes are not waited for: the connection is closed."""
TOO_SLOW = 408
PROGRAM_PATHS = ("/api", "/admission", "/livez", "/mcp", "/metrics", "/readyz")
SKIPS_READING_ON = "inspector.passes_over"
"""Set where the rest of a body is read without a thread (``inspector.web.rsgi``)."""

TAKES_LONGER = "this takes longer than an answer may take here"
TAKES_LONGER_SECONDS = 30
"""Not at once: what took too long takes a thread as long again."""

KEPT_HEADERS = ("Allow", "Content-Range")
"""Headers kept of a refusal that gets the shape of the API's errors."""
IS_FOR_A_PERSON = "is_for_a_person"
"""Set on a refusal whose page says it in words."""

# As in "/v1/feedback", "/t/acme/v1/feedback/".
_VOTE = re.compile(r"(/t/[^/]*)?/v1/feedback/?")
# As in "req-0199a1b2".
_SANE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")

GetResponse = Callable[[HttpRequest], HttpResponse]

_LOGGER = logging.getLogger(__name__)


def json_errors(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        request_id = request.META[REQUEST_ID] = _id_of(request)
        of_api = is_api(request.path)
        response = _call(request, get_response) if of_api else get_response(request)
        if of_api and response.status_code >= 400:
            response = _as_json_error(request, response)
            if response.status_code != TOO_SLOW:
                _read_the_rest(request)
        response[HEADER] = request_id
        return response

    return middleware


def limit_time(get_response: GetResponse) -> GetResponse:
    """End requests that only ask, whatever they ask for.

    Those that send are not looked after here: a body has its own time, and how long storing it may
    take is for the database to say.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        try:
            if request.method not in ("GET", "HEAD"):
                return get_response(request)
            with interrupt_after(settings.PAGE_SECONDS):
                return get_response(request)
        except DeadlineExceeded:
            _LOGGER.error("a request took too long", extra=fields(**request_fields(request)))
            return _too_long(request)

    return middleware


def _too_long(request: HttpRequest) -> HttpResponse:
    """Return an error of the API, or its sentence alone, without what a page would take to draw."""
    if is_api(request.path):
        return error_response(request, 503, "too_long", TAKES_LONGER, TAKES_LONGER_SECONDS)
    return HttpResponse(
        f"{TAKES_LONGER[:1].upper()}{TAKES_LONGER[1:]}.",
        status=503,
        content_type="text/plain; charset=utf-8",
        headers={"Retry-After": str(TAKES_LONGER_SECONDS)},
    )


def _id_of(request: HttpRequest) -> str:
    """Return the client's own where it is a plain word, so that its logs and ours speak of the
    same.
    """
    given: str = request.META.get("HTTP_X_REQUEST_ID", "")
    return given if _SANE_ID.fullmatch(given) else uuid6.uuid7().hex


def is_api(path: str) -> bool:
    of_programs = path in PROGRAM_PATHS or path.startswith("/api/")
    return of_programs or _VOTE.fullmatch(path) is not None


def _call(request: HttpRequest, get_response: GetResponse) -> HttpResponse:
    try:
        return get_response(request)
    except Exception:
        # Not even a page that says so could be made.
        _LOGGER.exception("a request failed", extra=fields(**request_fields(request)))
        return status_error(request, 500)


def _as_json_error(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    if response["Content-Type"] == "application/json" or hasattr(response, IS_FOR_A_PERSON):
        return response
    reshaped = status_error(request, response.status_code)
    for name in KEPT_HEADERS:
        if name in response:
            reshaped[name] = response[name]
    return reshaped


def _read_the_rest(request: HttpRequest) -> None:
    """Take in the rest of the body. A client that is still sending would see a closed connection in
    place of the refusal.
    """
    if request.META.get("CONTENT_LENGTH") and not request.META.get(SKIPS_READING_ON):
        with suppress(NoWaitSlot):
            finishes_within(lambda: _discard(request), READ_ON_SECONDS, client_network_of(request))


def _discard(request: HttpRequest) -> None:
    left = READ_ON_BYTES
    with suppress(OSError):
        while left > 0 and (piece := request.read(min(PIECE_BYTES, left))):
            left -= len(piece)
