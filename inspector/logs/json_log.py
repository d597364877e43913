"""Logs one JSON object per line, with nothing in it that a client sent.

A request's route instead of its path, which may hold a sign-in token; an error's type and traceback
instead of its message, which may quote a payload.
"""

from __future__ import annotations

import json
import logging
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest

REQUEST_ID = "inspector.request_id"
# Key in a request's META: the authenticated caller, as ``{"user": 1}`` or ``{"key": 2}``.
ASKER = "inspector.asker"
# Key in a request's META: the code of the API's error, or why nobody was signed in.
REFUSAL = "inspector.refusal"

METHOD_CHARACTERS = 16
MESSAGE_CHARACTERS = 500
FRAMES = 20
NO_ROUTE, STATIC = "none", "static"

ABOUT_MACHINES = (OSError, OperationalError, InterfaceError)
"""Their messages speak of hosts, files and locks."""
SAYS_TOO_MUCH = {"celery.app.trace": "a task failed"}
"""Loggers that write values into their messages, and what is written in their place."""


def fields(**values: Any) -> dict[str, Any]:
    """The ``extra`` of a logging call: ``extra=fields(captures=3)``."""
    return {"fields": values}


def request_fields(request: HttpRequest) -> dict[str, Any]:
    """The fields of a request that may be logged. Even the method comes from the client, so it is
    cut.
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


class JsonLogFormatter(logging.Formatter):
    """Formats each record as one line: JSON escapes newlines and terminal control characters."""

    def __init__(self, program: str) -> None:
        super().__init__()
        self._program = program

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "program": self._program,
            "logger": record.name,
            "event": event_of(record),
            **_record_fields(record),
        }
        return json.dumps(line, ensure_ascii=True, default=lambda value: type(value).__name__)


def event_of(record: logging.LogRecord) -> str:
    if record.name in SAYS_TOO_MUCH:
        return SAYS_TOO_MUCH[record.name]
    if isinstance(getattr(record, "request", None), HttpRequest):
        # Django's own: "Forbidden (%s): %s", with a reason and the path.
        return str(record.msg).partition("%s")[0].strip(" (:")
    return record.getMessage()[:MESSAGE_CHARACTERS]


def _record_fields(record: logging.LogRecord) -> dict[str, Any]:
    request = getattr(record, "request", None)
    about = request_fields(request) if isinstance(request, HttpRequest) else {}
    about.update(getattr(record, "fields", {}))
    if record.exc_info and record.exc_info[1]:
        about["error"] = list(_error_chain(record.exc_info[1]))
    return about


def _error_chain(error: BaseException) -> Iterator[dict[str, Any]]:
    """An error and what it came from, the outermost first."""
    seen: set[int] = set()
    one: BaseException | None = error
    while one is not None and id(one) not in seen:
        seen.add(id(one))
        entry: dict[str, Any] = {"type": f"{type(one).__module__}.{type(one).__qualname__}"}
        if isinstance(one, ABOUT_MACHINES):
            entry["message"] = str(one)[:MESSAGE_CHARACTERS]
        entry["through"] = _frames(one)
        yield entry
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _frames(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-FRAMES:]
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames]
