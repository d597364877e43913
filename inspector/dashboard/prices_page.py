"""A team's prices in words: what each holds for, who made it, and what pricing anew came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from inspector.archive.models import JobState
from inspector.dashboard.price_overlaps import days, means, yielding
from inspector.dashboard.receipt import PER
from inspector.dashboard.templatetags.formats import plural
from inspector.usage.kinds import Kind
from inspector.usage.money import dollars
from inspector.usage.overrides import Override
from inspector.usage.prices import MILLION, table_name
from inspector.usage.repricing import Progress
from inspector.usage.team_prices import TeamPrice


@dataclass(frozen=True, slots=True)
class ShownPrice:
    id: int
    model: str
    means: str
    """Names that begin so, of whom, of which tier; empty for what is usual."""
    rates: tuple[tuple[str, str], ...]
    days: str
    yields: tuple[str, ...]
    """Where another one holds in its place."""
    is_over: bool
    may_end: bool
    made: str
    ended: str


@dataclass(frozen=True, slots=True)
class ShownProgress:
    days: str
    asked: str
    words: str
    sums: str
    is_open: bool
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class PricesPage:
    table: str
    prices: tuple[ShownPrice, ...]


def prices_page(prices: Sequence[TeamPrice], today: date) -> PricesPage:
    overrides = tuple(price.override for price in prices)
    return PricesPage(
        table=table_name(),
        prices=tuple(
            shown_price(price, yielding(overrides, at), today) for at, price in enumerate(prices)
        ),
    )


def shown_price(price: TeamPrice, yields: tuple[str, ...], today: date) -> ShownPrice:
    override = price.override
    is_over = override.ends is not None and override.ends <= today
    return ShownPrice(
        id=price.id,
        model=override.model,
        means=", ".join(means(override)),
        rates=tuple((kind, rate(override, kind)) for kind in override.rates),
        days=days(override),
        yields=yields,
        is_over=is_over,
        may_end=not is_over,
        made=f"{price.made_by}, {day_of(price.made_at)}",
        ended=f"{price.ended_by}, {day_of(price.ended_at)}" if price.ended_at else "",
    )


def rate(override: Override, kind: Kind) -> str:
    return f"{dollars(override.rates[kind])} {PER[1 if kind is Kind.REQUEST else MILLION]}"


def shown_progress(found: Progress) -> ShownProgress:
    first, last = day_of(found.since), day_of(found.until - timedelta(microseconds=1))
    return ShownProgress(
        days=first if first == last else f"{first} to {last}",
        asked=f"{found.asked_by}, {found.asked_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        words=how_far(found),
        sums=sums(found),
        is_open=found.state == JobState.OPEN,
        done=found.done,
        total=max(found.total, found.done),
    )


def how_far(found: Progress) -> str:
    of = f"{found.done:,} of {max(found.total, found.done):,}"
    if found.state == JobState.OPEN:
        priced = f"Running: {of}"
    elif found.state == JobState.SUPERSEDED:
        priced = f"Ended at {of}"
    else:
        priced = f"Done: {plural(found.done, 'capture')}"
    failed = f", {found.failed:,} keep their cost" if found.failed else ""
    return f"{priced}, {found.changed:,} changed{failed}"


def sums(found: Progress) -> str:
    """Before and after, each with how many captures it is of."""
    before = added_up(found.before_usd, found.before_captures, found.before_at_least)
    after = added_up(found.after_usd, found.after_captures, found.after_at_least)
    return f"{before} → {after} with a known cost"


def added_up(usd: Decimal, captures: int, at_least: int) -> str:
    return f"{'at least ' if at_least else ''}{dollars(usd)} of {captures:,}"


def day_of(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()
