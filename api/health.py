"""Alive, and ready: the second only where a capture could be accepted now."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from api.responses import json_response
from inspector.archive.status import readiness
from inspector.teams.guards import has_operators_key, open_to_all


@csrf_exempt
@open_to_all
def livez(request: HttpRequest) -> HttpResponse:
    return json_response({"alive": True})


@csrf_exempt
@open_to_all
def readyz(request: HttpRequest) -> HttpResponse:
    checks = readiness.cached_checks()
    value: dict[str, Any] = {
        "ready": all(checks.values()),
        "checks": {name: "yes" if passed else "no" for name, passed in checks.items()},
    }
    if value["ready"] and has_operators_key(request):
        value["totals"] = readiness.queue_backlog()
    return json_response(value, 200 if value["ready"] else 503)
