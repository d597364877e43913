"""Usage of a period by group, as the page shows it; drift events and the prices of the team."""

from datetime import date
from typing import Annotated
from uuid import UUID

import msgspec
from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request

from api.addresses import capture_url, page_url
from api.api_error import ApiError
from api.authentication import principal_of
from api.endpoint import Endpoint
from api.operation import Parameter, ResponseBody, choice, operation
from api.query_params import QueryParams, invalid_parameter
from api.responses import json_response
from inspector.archive.member_types import Count, Moment, Url, codes
from inspector.core.same_fields import struct_of
from inspector.database.portability import StatementTimeout
from inspector.period_usage import PeriodUsage, usage_of
from inspector.query.time_input import TIME_FORMATS
from inspector.usage.cost import team_prices
from inspector.usage.cost.money import plain
from inspector.usage.cost.prices import table_name
from inspector.usage.cost.team_prices import TeamPrice
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.drift.changes import ChangeSide, DriftDirection, DriftTest
from inspector.usage.drift.detection import DriftSubject
from inspector.usage.drift.event_list import DriftEventRow, drift_events
from inspector.usage.rollup import periods
from inspector.usage.rollup.dimensions import GROUPINGS
from inspector.usage.rollup.grouping import BadGrouping, grouping_from_params
from inspector.usage.rollup.periods import RANGES, BadPeriod, Period
from inspector.usage.rollup.tables import TOO_LONG

MAX_EVENTS = 200
"""The newest; `more` tells that there are others, and a shorter period has them."""
PERIOD = (
    choice("range", "a period that ends now", RANGES),
    Parameter("since", f"instead of range: {TIME_FORMATS}"),
    Parameter("until", f"{TIME_FORMATS}; without it, now"),
)


class DriftSide(msgspec.Struct, frozen=True):
    """One side of a change. `value` is the number of captures that have the property."""

    captures: Count
    value: Count


class DriftTestBody(msgspec.Struct, frozen=True, kw_only=True):
    """Fisher's exact test, one-sided, which shows a change against the seven days before."""

    p_value: float
    before: DriftSide
    since: DriftSide


class DriftCapture(msgspec.Struct, frozen=True):
    """A capture, with its addresses in the API and among the pages."""

    id: UUID
    url: Url
    page: Url


class DriftEventBody(msgspec.Struct, frozen=True, kw_only=True):
    """A detected change in the responses of a model, by hour. `replaces_value` is true if `value`
    took the place of `replaced_value`, as `replaced_test` shows; null stands for a value that was
    not sent. `streamed` is null for both kinds of responses.
    """

    at: Moment
    hour: Moment
    subject: Annotated[str, codes(DriftSubject)]
    direction: Annotated[str, codes(DriftDirection)]
    vendor: str | None
    model: str | None
    value: str | None
    replaces_value: bool
    replaced_value: str | None
    streamed: bool | None
    before: DriftSide
    since: DriftSide
    test: DriftTestBody
    replaced_test: DriftTestBody | None
    captures: tuple[DriftCapture, ...]


class PeriodDrift(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that began in the period, newest first. `more` is true if some are not listed."""

    since: Moment
    until: Moment
    slot_seconds: Count
    events: tuple[DriftEventBody, ...]
    more: bool


class TeamPriceBody(msgspec.Struct, frozen=True, kw_only=True):
    """Rates that a team pays instead of those of the price table, from `starts` to before `ends`.
    Null stands for any vendor or service tier, and for a price without an end.
    """

    vendor: str | None
    model: str
    is_prefix: bool
    service_tier: str | None
    rates: dict[Annotated[str, codes(TokenKind)], str]
    starts: date
    ends: date | None
    made_at: Moment
    made_by: str
    ended_at: Moment | None
    ended_by: str | None


class PriceList(msgspec.Struct, frozen=True):
    """Name and version of the price table, and the team's own prices, newest first."""

    table: str
    prices: tuple[TeamPriceBody, ...]


class UsageEndpoint(Endpoint):
    @operation(
        "show_usage",
        "get sums over the captures of a period, by group",
        ResponseBody("each sum with the number of captures in it", PeriodUsage),
        choice("by", "dimension to group by", GROUPINGS),
        choice("within", "another dimension, to group the captures of one group by", GROUPINGS),
        Parameter("of", "with within: value of that group; empty for captures without one"),
        *PERIOD,
    )
    def get(self, request: Request) -> HttpResponse:
        params = self.params
        try:
            grouping = grouping_from_params(*map(params.one, ("by", "within", "of")))
        except BadGrouping as error:
            raise invalid_parameter(error.name, error.what) from error
        period = period_of(params)
        try:
            return json_response(usage_of(principal_of(request), period, grouping))
        except StatementTimeout as error:
            raise ApiError(422, "took_too_long", TOO_LONG) from error


class DriftEndpoint(Endpoint):
    @operation(
        "show_drift",
        "list detected changes in the responses of models, each with its statistical test",
        ResponseBody("changes that began in the period, newest first", PeriodDrift),
        *PERIOD,
    )
    def get(self, request: Request) -> HttpResponse:
        params = self.params
        period = period_of(params)
        # One more than is listed tells whether there are more.
        found = drift_events(principal_of(request), period, MAX_EVENTS + 1)
        return json_response(period_drift(period, found, MAX_EVENTS))


class PricesEndpoint(Endpoint):
    @operation(
        "show_prices",
        "get the version of the price table, and the team's own rates",
        ResponseBody("rates in USD per million tokens, or USD per request", PriceList),
    )
    def get(self, request: Request) -> HttpResponse:
        return json_response(price_list(team_prices.for_principal(principal_of(request)).all()))


def period_of(params: QueryParams) -> Period:
    name, since, until = (params.one(each) for each in ("range", "since", "until"))
    try:
        return periods.period_from_params(name, since, until, timezone.now())
    except BadPeriod as error:
        raise ApiError(422, "invalid_parameter", str(error)) from error


def period_drift(period: Period, found: tuple[DriftEventRow, ...], limit: int) -> PeriodDrift:
    return PeriodDrift(
        since=period.start,
        until=period.end,
        slot_seconds=period.slot_seconds,
        events=tuple(map(_event, found[:limit])),
        more=len(found) > limit,
    )


def price_list(prices: tuple[TeamPrice, ...]) -> PriceList:
    return PriceList(table_name(), tuple(map(_price, prices)))


def _event(event: DriftEventRow) -> DriftEventBody:
    return struct_of(
        DriftEventBody,
        event,
        hour=event.start,
        before=_side(event.test.before),
        since=_side(event.test.since),
        test=_test(event.test),
        replaced_test=_test(event.replaced_test) if event.replaced_test else None,
        captures=tuple(DriftCapture(c, capture_url(c), page_url(c)) for c in event.captures),
    )


def _test(test: DriftTest) -> DriftTestBody:
    return struct_of(DriftTestBody, test, before=_side(test.before), since=_side(test.since))


def _side(side: ChangeSide) -> DriftSide:
    return struct_of(DriftSide, side)


def _price(price: TeamPrice) -> TeamPriceBody:
    override = price.override
    return struct_of(
        TeamPriceBody,
        override,
        service_tier=override.tier,
        rates={kind: plain(usd) for kind, usd in override.rates.items()},
        made_at=price.made_at,
        made_by=price.made_by,
        ended_at=price.ended_at,
        ended_by=price.ended_by,
    )
