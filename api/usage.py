"""Usage of a period by group, as the page shows it; drift events and the prices of the team."""

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from api.api_error import ApiError
from api.authentication import principal_of
from api.query_params import QueryParams, read_query_params
from api.responses import json_response
from api.schemas.usage import period_drift, price_list
from inspector.database.portability import StatementTimeout
from inspector.period_usage import usage_of
from inspector.usage.cost import team_prices
from inspector.usage.drift.event_list import drift_events
from inspector.usage.rollup import periods
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.periods import BadPeriod, Period
from inspector.usage.rollup.tables import TOO_LONG

MAX_EVENTS = 200
"""The newest; `more` tells that there are others, and a shorter period has them."""


class UsageEndpoint(APIView):
    def get(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("range", "since", "until", "by"))
        by = params.one("by") or "model"
        if by not in DIMENSIONS:
            raise ApiError(422, "invalid_parameter", f"by is one of {', '.join(DIMENSIONS)}")
        period = period_of(params)
        try:
            return json_response(usage_of(principal_of(request), period, by))
        except StatementTimeout as error:
            raise ApiError(422, "took_too_long", TOO_LONG) from error


class DriftEndpoint(APIView):
    def get(self, request: Request) -> HttpResponse:
        params = read_query_params(request, once=("range", "since", "until"))
        period = period_of(params)
        # One more than is listed tells whether there are more.
        found = drift_events(principal_of(request), period, MAX_EVENTS + 1)
        return json_response(period_drift(period, found, MAX_EVENTS))


class PricesEndpoint(APIView):
    def get(self, request: Request) -> HttpResponse:
        read_query_params(request)
        return json_response(price_list(team_prices.for_principal(principal_of(request)).all()))


def period_of(params: QueryParams) -> Period:
    name, since, until = (params.one(each) for each in ("range", "since", "until"))
    try:
        return periods.period_from_params(name, since, until, timezone.now())
    except BadPeriod as error:
        raise ApiError(422, "invalid_parameter", str(error)) from error
