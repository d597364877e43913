"""A session that nobody uses ends: a browser that was left somewhere signs nobody in for long."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

USED_AT = "used_at"
"""Seconds; noted once in an hour, so that looking at pages writes nothing."""
NOTED_EVERY_SECONDS = 3600


def end_idle(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        # Whoever brings no cookie has no session, and the database is not asked for it.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION_KEY in request.session:
            look_at(request)
        return get_response(request)

    return middleware


def begin(request: HttpRequest) -> None:
    """Of a session that was just signed in: from here on its end is fixed."""
    request.session.set_expiry(request.session.get_expiry_date())
    request.session[USED_AT] = int(time.time())


def look_at(request: HttpRequest) -> None:
    now = int(time.time())
    used_at = request.session.get(USED_AT, now)
    if now - used_at >= settings.SESSION_IDLE_SECONDS:
        logout(request)
    elif now - used_at >= NOTED_EVERY_SECONDS:
        request.session[USED_AT] = now
