"""Alive, and ready: the second only where a capture could be accepted now."""

from typing import Literal

import msgspec
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from msgspec import UNSET, UnsetType

from api.operation import ResponseBody, operation
from api.responses import json_response
from inspector.archive.status import readiness
from inspector.archive.status.readiness import Backlog
from inspector.teams.guards import has_operators_key, open_to_all


class Liveness(msgspec.Struct, frozen=True):
    """Sent by a process that answers requests."""

    alive: bool


class Readiness(msgspec.Struct, frozen=True):
    """Whether a capture could be stored now. `totals` is added for callers with the operator's
    key.
    """

    ready: bool
    checks: dict[str, Literal["yes", "no"]]
    totals: Backlog | UnsetType = UNSET


@operation(
    "is_alive", "tell whether the process answers", ResponseBody("the process answers", Liveness)
)
@csrf_exempt
@open_to_all
def livez(request: HttpRequest) -> HttpResponse:
    return json_response(Liveness(True))


@operation(
    "is_ready",
    "tell whether a capture could be stored now",
    ResponseBody("a capture could be stored", Readiness),
    ResponseBody("no capture could be stored; `checks` names what failed", Readiness, status=503),
)
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
