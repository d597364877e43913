"""Alive, and ready: the second only where a capture could be accepted now."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from api.answers import answer
from inspector.archive import readiness
from inspector.teams.doors import has_operators_key, open_to_all


@csrf_exempt
@open_to_all
def livez(request: HttpRequest) -> HttpResponse:
    return answer({"alive": True})


@csrf_exempt
@open_to_all
def readyz(request: HttpRequest) -> HttpResponse:
    checks = readiness.latest()
    value: dict[str, Any] = {
        "ready": all(checks.values()),
        "checks": {name: "yes" if passed else "no" for name, passed in checks.items()},
    }
    if value["ready"] and has_operators_key(request):
        value["totals"] = readiness.totals()
    return answer(value, 200 if value["ready"] else 503)
