"""Bodies about the usage of a period, drift and prices."""

from __future__ import annotations

from datetime import date
from typing import Annotated
from uuid import UUID

import msgspec

from api.schemas.addresses import capture_url, page_url
from inspector.archive.member_types import Count, Moment, Url, codes
from inspector.usage.cost.money import plain
from inspector.usage.cost.prices import table_name
from inspector.usage.cost.team_prices import TeamPrice
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.drift.changes import ChangeSide, DriftDirection
from inspector.usage.drift.detection import DriftSubject
from inspector.usage.drift.event_list import DriftEventRow
from inspector.usage.rollup.periods import Period


class DriftSide(msgspec.Struct, frozen=True):
    """One side of a change. `value` is the number of captures that have the property or, for times,
    their median in microseconds.
    """

    captures: Count
    value: Count


class DriftCapture(msgspec.Struct, frozen=True):
    """A capture, with its addresses in the API and among the pages."""

    id: UUID
    url: Url
    page: Url


class DriftEventBody(msgspec.Struct, frozen=True, kw_only=True):
    """A detected change in the responses of a model, by hour. `replaces_value` is true if the value
    `what` took the place of `replaces`; null stands for a value that was not sent. `streamed` is
    null for both kinds of responses.
    """

    at: Moment
    hour: Moment
    subject: Annotated[str, codes(DriftSubject)]
    direction: Annotated[str, codes(DriftDirection)]
    vendor: str | None
    model: str | None
    what: str | None
    replaces_value: bool
    replaces: str | None
    streamed: bool | None
    before: DriftSide
    since: DriftSide
    test: str
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


def period_drift(period: Period, found: tuple[DriftEventRow, ...], most: int) -> PeriodDrift:
    return PeriodDrift(
        since=period.start,
        until=period.end,
        slot_seconds=period.slot_seconds,
        events=tuple(map(_event, found[:most])),
        more=len(found) > most,
    )


def price_list(prices: tuple[TeamPrice, ...]) -> PriceList:
    return PriceList(table_name(), tuple(map(_price, prices)))


def _event(event: DriftEventRow) -> DriftEventBody:
    return DriftEventBody(
        at=event.at,
        hour=event.start,
        subject=event.subject,
        direction=event.direction,
        vendor=event.vendor,
        model=event.model,
        what=event.what,
        replaces_value=event.replaces_value,
        replaces=event.replaces,
        streamed=event.streamed,
        before=_side(event.before),
        since=_side(event.since),
        test=event.test,
        captures=tuple(DriftCapture(c, capture_url(c), page_url(c)) for c in event.captures),
    )


def _side(side: ChangeSide) -> DriftSide:
    return DriftSide(side.captures, side.value)


def _price(price: TeamPrice) -> TeamPriceBody:
    override = price.override
    return TeamPriceBody(
        vendor=override.vendor,
        model=override.model,
        is_prefix=override.is_prefix,
        service_tier=override.tier,
        rates={kind: plain(usd) for kind, usd in override.rates.items()},
        starts=override.starts,
        ends=override.ends,
        made_at=price.made_at,
        made_by=price.made_by,
        ended_at=price.ended_at,
        ended_by=price.ended_by,
    )
