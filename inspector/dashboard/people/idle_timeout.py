"""Ends sessions after a period without use, in case a browser was left signed in."""

import time
from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import SESSION_KEY, logout
from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]

USED_AT = "used_at"
"""Session key with the time of last use in seconds."""
REFRESH_SECONDS = 3600
"""Reading pages rarely writes; a session ends so much too early at most."""


def end_idle_sessions(get_response: GetResponse) -> GetResponse:
    def middleware(request: HttpRequest) -> HttpResponse:
        # Without the cookie there is no session, and no query is needed.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION_KEY in request.session:
            check_idle_time(request)
        return get_response(request)

    return middleware


def start_idle_timer(request: HttpRequest) -> None:
    """Start the idle timer of a new session and fixes its absolute end."""
    request.session.set_expiry(request.session.get_expiry_date())
    request.session[USED_AT] = int(time.time())


def check_idle_time(request: HttpRequest) -> None:
    now = int(time.time())
    used_at = request.session.get(USED_AT, now)
    if now - used_at >= settings.SESSION_IDLE_SECONDS:
        logout(request)
    elif now - used_at >= REFRESH_SECONDS:
        request.session[USED_AT] = now
