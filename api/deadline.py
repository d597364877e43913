"""Requests that only ask end in time, whatever they ask for.

Those that send are not looked after here: a body has its own time, and how long storing it may take
is for the database to say.
"""

import logging
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from api.middleware import refusal_in_time
from inspector.logs.json_log import fields, request_fields
from inspector.web.deadline import DeadlineExceeded, interrupt_after

SENTENCE = "this takes longer than an answer may take here"
RETRY_SECONDS = 30
"""Not at once: what took too long takes a thread as long again."""

GetResponse = Callable[[HttpRequest], HttpResponse]

_LOGGER = logging.getLogger(__name__)


def limit_time(get_response: GetResponse) -> GetResponse:
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
    return refusal_in_time(request, 503, "too_long", SENTENCE, RETRY_SECONDS)
