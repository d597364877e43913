"""Whether nginx takes a large body in: it asks before the body comes, and whoever sends it waits.

Says who somebody is, not what they may: that is asked where the body is read.
"""

from __future__ import annotations

from django.contrib.auth import get_user
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from api.authentication import bearer_of
from api.rates import count_failure
from api.refusal import Refusal
from inspector.teams.doors import open_to_all


@csrf_exempt
@open_to_all
def admission(request: HttpRequest) -> HttpResponse:
    """204 for whoever has a key or a session that is in use, else 401."""
    if bearer_of(request) is not None or get_user(request).is_authenticated:
        return HttpResponse(status=204)
    try:
        count_failure(request)
    except Refusal as refusal:
        return HttpResponse(status=refusal.status_code)
    return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
