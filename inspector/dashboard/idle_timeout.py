"""Ends sessions after a period without use, in case a browser was left signed in."""

import time

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest

USED_AT = "used_at"
"""Session key with the time of last use in seconds."""
REFRESH_SECONDS = 3600
"""Reading pages rarely writes; a session ends so much too early at most."""


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
