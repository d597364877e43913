"""Tells nginx whether to accept a large body: nginx asks before it reads the body, while the client
waits. Only authenticates; what the caller may do is checked when the body is read.
"""

from __future__ import annotations

from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from api.api_error import ApiError
from api.authentication import principal_from_bearer
from api.rate_limits import count_failure
from inspector.teams.guards import open_to_all


@csrf_exempt
@open_to_all
def admission(request: HttpRequest) -> HttpResponse:
    """204 with a valid API key or session, else 401."""
    if principal_from_bearer(request) is not None or get_user(request).is_authenticated:
        return HttpResponse(status=204)
    try:
        count_failure(request)
    except ApiError as refusal:
        return HttpResponse(status=refusal.status_code)
    return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
