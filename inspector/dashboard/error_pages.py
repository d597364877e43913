"""The pages for an address that leads nowhere, and for an error that no view expected."""

import sys

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static

from inspector.archive.storage import disk_space
from inspector.dashboard.pages import SHARE_PRINCIPAL, head_context, render_page
from inspector.database.portability import UNAVAILABLE
from inspector.teams import access

RETRY_SECONDS = "1"
RETRY_WHEN_FULL_SECONDS = "10"


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler404``: whoever is signed in keeps the way to the team's pages."""
    user = None if SHARE_PRINCIPAL in request.META else getattr(request, "user", None)
    principal = access.for_user(user) if user is not None else None
    context = head_context(principal) if principal and principal.is_authenticated else {}
    return render_page(request, "404.html", context, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's ``handler500``: 503 where the database is busy, gone or out of room, else 500.

    A view and not a middleware: sessions are stored after every middleware's
    ``process_exception``, and a sign-in writes one. The templates ask the database for nothing.
    """
    error, known = sys.exception(), {"stylesheet": _stylesheet()}
    if not isinstance(error, UNAVAILABLE):
        return render(request, "500.html", known, status=500)
    is_full = disk_space.is_disk_full(error)
    response = render(request, "503.html", {"is_full": is_full, **known}, status=503)
    response["Retry-After"] = RETRY_WHEN_FULL_SECONDS if is_full else RETRY_SECONDS
    return response


def _stylesheet() -> str:
    """Empty where nobody collected the static files, which may be the error that is shown."""
    try:
        return static("dashboard/style.css")
    except ValueError:
        return ""
