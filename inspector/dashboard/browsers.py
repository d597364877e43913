"""A browser that signed in by a name before, known again by a signed cookie.

It opens nothing. It only counts wrong passwords of that browser apart from everybody else's.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from inspector.teams.secret import new_secret

LIFE = timedelta(days=180)
_SALT = "inspector.dashboard.browsers"


def remember(request: HttpRequest, response: HttpResponse, name: str) -> None:
    if known(request, name):
        return
    response.set_cookie(
        settings.BROWSER_COOKIE_NAME,
        signing.dumps([_digest(name), new_secret()], salt=_SALT),
        max_age=LIFE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known(request: HttpRequest, name: str) -> str | None:
    """What tells this browser from all others, where it signed in by this name before."""
    try:
        digest, nonce = signing.loads(
            request.COOKIES.get(settings.BROWSER_COOKIE_NAME, ""), salt=_SALT, max_age=LIFE
        )
    except signing.BadSignature:
        return None
    return str(nonce) if digest == _digest(name) else None


def _digest(name: str) -> str:
    return salted_hmac(_SALT, name.casefold()).hexdigest()
