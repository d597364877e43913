"""The log lines of programs with Django: a request's route instead of its path, which may hold a
sign-in token.
"""

import logging
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest

from inspector.logs.line_format import LineFormatter, fields

__all__ = ["JsonLogFormatter", "fields", "request_fields", "route_of"]

REQUEST_ID = "inspector.request_id"
# Key in a request's META: the authenticated caller, as ``{"user": 1}`` or ``{"key": 2}``.
ASKER = "inspector.asker"
# Key in a request's META: the code of the API's error, or why nobody was signed in.
REFUSAL = "inspector.refusal"

METHOD_CHARACTERS = 16
"""A client may send any word as the method."""
NO_ROUTE, STATIC = "none", "static"

SAYS_TOO_MUCH = {"celery.app.trace": "a task failed"}
"""Loggers that write values into their messages, and what is written in their place."""


def request_fields(request: HttpRequest) -> dict[str, Any]:
    """Return the fields of a request that may be logged, cut: even the method comes from the
    client.
    """
    asker: dict[str, int] = request.META.get(ASKER, {})
    return {
        "request": request.META.get(REQUEST_ID, ""),
        "method": (request.method or "")[:METHOD_CHARACTERS],
        "route": route_of(request),
        **asker,
    }


def route_of(request: HttpRequest) -> str:
    match = request.resolver_match
    if match is None:
        return STATIC if request.path.startswith(settings.STATIC_URL) else NO_ROUTE
    return match.route


class JsonLogFormatter(LineFormatter):
    about_machines = (OSError, OperationalError, InterfaceError)

    def event_of(self, record: logging.LogRecord) -> str:
        if record.name in SAYS_TOO_MUCH:
            return SAYS_TOO_MUCH[record.name]
        if isinstance(getattr(record, "request", None), HttpRequest):
            # Django's own: "Forbidden (%s): %s", with a reason and the path.
            return str(record.msg).partition("%s")[0].strip(" (:")
        return super().event_of(record)

    def fields_of(self, record: logging.LogRecord) -> dict[str, Any]:
        request = getattr(record, "request", None)
        about = request_fields(request) if isinstance(request, HttpRequest) else {}
        return about | super().fields_of(record)
