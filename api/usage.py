"""Usage of a period by group, as the page shows it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import answer
from api.authentication import principal_of
from api.openapi import operations
from api.parameters import Parameters, parameters
from api.refusal import Refusal
from inspector.usage import queries
from inspector.usage.alike import BY
from inspector.usage.periods import RANGES, USUAL, BadPeriod, Period, between, latest
from inspector.usage.tables import as_json

MOST_GROUPS = 1_000


class Usage(APIView):
    @operations.show_usage
    def get(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("range", "since", "until", "by"))
        by = asked.one("by") or "model"
        if by not in BY:
            raise Refusal(422, "invalid_parameter", f"by is one of {', '.join(BY)}")
        period = period_of(asked)
        sums = queries.for_principal(principal_of(request))
        groups = sums.groups(period, by)
        return answer(
            {
                **bounds(period),
                "by": by,
                "all": as_json(queries.Group(None, sums.every(period))),
                "groups": [as_json(group) for group in groups[:MOST_GROUPS]],
                "more_groups": max(0, len(groups) - MOST_GROUPS),
            }
        )


def period_of(asked: Parameters) -> Period:
    now, range, since = timezone.now(), asked.one("range"), asked.one("since")
    if range is not None and range not in RANGES:
        raise Refusal(422, "invalid_parameter", f"range is one of {', '.join(RANGES)}")
    if since is None:
        return latest(range or USUAL, now)
    try:
        return between(since, asked.one("until") or "", now)
    except BadPeriod as error:
        raise Refusal(422, "invalid_parameter", str(error)) from error


def bounds(period: Period) -> dict[str, Any]:
    return {
        "since": shapes.of_time(period.start),
        "until": shapes.of_time(period.end),
        "slot_seconds": period.slot_seconds,
    }
