"""Alive, and ready: the second only where a capture could be accepted now."""

from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from msgspec import UNSET

from api.responses import json_response
from api.schemas.service import Liveness, Readiness
from inspector.archive.status import readiness
from inspector.teams.guards import has_operators_key, open_to_all


@csrf_exempt
@open_to_all
def livez(request: HttpRequest) -> HttpResponse:
    return json_response(Liveness(True))


@csrf_exempt
@open_to_all
def readyz(request: HttpRequest) -> HttpResponse:
    checks = readiness.cached_checks()
    is_ready = all(checks.values())
    shows_totals = is_ready and has_operators_key(request)
    body = Readiness(
        ready=is_ready,
        checks={name: _word(passed) for name, passed in checks.items()},
        totals=readiness.queue_backlog() if shows_totals else UNSET,
    )
    return json_response(body, 200 if is_ready else 503)


def _word(passed: bool) -> Literal["yes", "no"]:
    return "yes" if passed else "no"
