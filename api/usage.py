"""Usage of a period by group, as the page shows it, and the prices of the team."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError
from api.authentication import principal_of
from api.openapi.operations import usage as operations
from api.query_params import QueryParams, read_query_params
from api.responses import json_response
from api.schemas import archive
from inspector.database.portability import StatementTimeout
from inspector.transfer.usage import usage_answer
from inspector.usage.cost import team_prices
from inspector.usage.cost.money import plain
from inspector.usage.cost.prices import table_name
from inspector.usage.cost.team_prices import TeamPrice
from inspector.usage.rollup import periods
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import BadPeriod, Period
from inspector.usage.rollup.tables import TOO_LONG


class UsageEndpoint(APIView):
    @operations.show_usage
    def get(self, request: Request) -> HttpResponse:
        asked = read_query_params(request, once=("range", "since", "until", "by"))
        by = asked.one("by") or "model"
        if by not in DIMENSIONS:
            raise ApiError(422, "invalid_parameter", f"by is one of {', '.join(DIMENSIONS)}")
        period = period_of(asked)
        try:
            return json_response(usage_answer(principal_of(request), period, by))
        except StatementTimeout as error:
            raise ApiError(422, "took_too_long", TOO_LONG) from error


class PricesEndpoint(APIView):
    @operations.show_prices
    def get(self, request: Request) -> HttpResponse:
        read_query_params(request)
        found = team_prices.for_principal(principal_of(request)).all()
        return json_response({"table": table_name(), "prices": list(map(override_as_json, found))})


def override_as_json(price: TeamPrice) -> dict[str, Any]:
    override = price.override
    return {
        "vendor": override.vendor,
        "model": override.model,
        "is_prefix": override.is_prefix,
        "service_tier": override.tier,
        "rates": {kind: plain(usd) for kind, usd in override.rates.items()},
        "starts": override.starts.isoformat(),
        "ends": override.ends.isoformat() if override.ends else None,
        "made_at": archive.timestamp(price.made_at),
        "made_by": price.made_by,
        "ended_at": archive.timestamp(price.ended_at) if price.ended_at else None,
        "ended_by": price.ended_by,
    }


def period_of(asked: QueryParams) -> Period:
    name, since, until = (asked.one(each) for each in ("range", "since", "until"))
    try:
        return periods.period_from_params(name, since, until, timezone.now())
    except BadPeriod as error:
        raise ApiError(422, "invalid_parameter", str(error)) from error
