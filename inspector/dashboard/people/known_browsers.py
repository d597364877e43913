"""Signed cookie of a browser that signed in under a name before.

It grants no access; it only counts that browser's wrong passwords apart from everybody else's.
"""

from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from inspector.teams.secret import new_secret

COOKIE_LIFETIME = timedelta(days=180)
"""Life of the cookie: wrong passwords of a browser not used for so long count as a stranger's."""
_SALT = "inspector.dashboard.people.known_browsers"


def remember_browser(request: HttpRequest, response: HttpResponse, name: str) -> None:
    if known_browser(request, name):
        return
    response.set_cookie(
        settings.BROWSER_COOKIE_NAME,
        signing.dumps([_digest(name), new_secret()], salt=_SALT),
        max_age=COOKIE_LIFETIME,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def known_browser(request: HttpRequest, name: str) -> str | None:
    """Return the identifier of this browser if it signed in under this name before, else None."""
    try:
        digest, nonce = signing.loads(
            request.COOKIES.get(settings.BROWSER_COOKIE_NAME, ""),
            salt=_SALT,
            max_age=COOKIE_LIFETIME,
        )
    except signing.BadSignature:
        return None
    return str(nonce) if digest == _digest(name) else None


def _digest(name: str) -> str:
    return salted_hmac(_SALT, name.casefold()).hexdigest()
