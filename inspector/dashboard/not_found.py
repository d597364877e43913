"""The page for an address that leads nowhere, or nowhere for who asks."""

from django.http import HttpRequest, HttpResponse

from inspector.dashboard.pages import SHARE_PRINCIPAL, head_context, render_page
from inspector.teams import access


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Django's ``handler404``: whoever is signed in keeps the way to the team's pages."""
    user = None if SHARE_PRINCIPAL in request.META else getattr(request, "user", None)
    principal = access.for_user(user) if user is not None else None
    context = head_context(principal) if principal and principal.is_authenticated else {}
    return render_page(request, "404.html", context, status=404)
