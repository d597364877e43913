"""Usage of a period by group, as the page shows it, and the prices of the team."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from api import shapes
from api.answers import answer
from api.authentication import principal_of
from api.openapi.operations import usage as operations
from api.parameters import Parameters, parameters
from api.refusal import Refusal
from inspector.archive.database import TookTooLong
from inspector.transfer.usage import usage_answer
from inspector.usage import periods, team_prices
from inspector.usage.alike import BY
from inspector.usage.money import plain
from inspector.usage.periods import BadPeriod, Period
from inspector.usage.prices import table_name
from inspector.usage.tables import TOO_LONG
from inspector.usage.team_prices import TeamPrice


class Usage(APIView):
    @operations.show_usage
    def get(self, request: Request) -> HttpResponse:
        asked = parameters(request, once=("range", "since", "until", "by"))
        by = asked.one("by") or "model"
        if by not in BY:
            raise Refusal(422, "invalid_parameter", f"by is one of {', '.join(BY)}")
        period = period_of(asked)
        try:
            return answer(usage_answer(principal_of(request), period, by))
        except TookTooLong as error:
            raise Refusal(422, "took_too_long", TOO_LONG) from error


class Prices(APIView):
    @operations.show_prices
    def get(self, request: Request) -> HttpResponse:
        parameters(request)
        found = team_prices.for_principal(principal_of(request)).all()
        return answer({"table": table_name(), "prices": list(map(of_price, found))})


def of_price(price: TeamPrice) -> dict[str, Any]:
    override = price.override
    return {
        "vendor": override.vendor,
        "model": override.model,
        "is_prefix": override.is_prefix,
        "service_tier": override.tier,
        "rates": {kind: plain(usd) for kind, usd in override.rates.items()},
        "starts": override.starts.isoformat(),
        "ends": override.ends.isoformat() if override.ends else None,
        "made_at": shapes.of_time(price.made_at),
        "made_by": price.made_by,
        "ended_at": shapes.of_time(price.ended_at) if price.ended_at else None,
        "ended_by": price.ended_by,
    }


def period_of(asked: Parameters) -> Period:
    name, since, until = (asked.one(each) for each in ("range", "since", "until"))
    try:
        return periods.asked(name, since, until, timezone.now())
    except BadPeriod as error:
        raise Refusal(422, "invalid_parameter", str(error)) from error
