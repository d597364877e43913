"""A team's price overrides and repricing jobs in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from inspector.dashboard.prices.overlaps import (
    override_days,
    override_scope_words,
    overriding_prices,
)
from inspector.dashboard.text.cost_labels import kind_words
from inspector.dashboard.text.receipt import PER
from inspector.formatting.humanize import plural
from inspector.usage.cost.money import dollars
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.prices import MILLION, PAID_EACH, table_name
from inspector.usage.cost.team_prices import TeamPrice
from inspector.usage.cost.token_kinds import TokenKind
from inspector.usage.repricing import RepricingProgress
from inspector.work.models import WorkState

LEGIBLE_USD = Decimal("0.01")
"""From here on a sum is told in four decimals; a smaller one exactly."""


@dataclass(frozen=True, slots=True)
class PriceRow:
    id: int
    model: str
    scope: str
    """Prefix, vendor and service tier; empty for the defaults."""
    rates: tuple[tuple[str, str], ...]
    days: str
    yields: tuple[str, ...]
    """Sentences about overrides that take precedence over this one."""
    is_over: bool
    may_end: bool
    made: str
    ended: str


@dataclass(frozen=True, slots=True)
class RepricingRow:
    days: str
    requested: str
    words: str
    sums: str
    is_open: bool
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class PricesPage:
    table: str
    prices: tuple[PriceRow, ...]


def build_prices_page(prices: Sequence[TeamPrice], today: date) -> PricesPage:
    overrides = tuple(price.override for price in prices)
    return PricesPage(
        table=table_name(),
        prices=tuple(
            price_row(price, overriding_prices(overrides, at), today)
            for at, price in enumerate(prices)
        ),
    )


def price_row(price: TeamPrice, yields: tuple[str, ...], today: date) -> PriceRow:
    override = price.override
    is_over = override.ends is not None and override.ends <= today
    return PriceRow(
        id=price.id,
        model=override.model,
        scope=", ".join(override_scope_words(override)),
        rates=tuple((kind_words(kind), rate_words(override, kind)) for kind in override.rates),
        days=override_days(override),
        yields=yields,
        is_over=is_over,
        may_end=not is_over,
        made=f"{price.made_by}, {iso_day(price.made_at)}",
        ended=f"{price.ended_by}, {iso_day(price.ended_at)}" if price.ended_at else "",
    )


def rate_words(override: Override, kind: TokenKind) -> str:
    return f"{dollars(override.rates[kind])} {PER[1 if kind in PAID_EACH else MILLION]}"


def repricing_row(found: RepricingProgress) -> RepricingRow:
    first, last = iso_day(found.since), iso_day(found.until - timedelta(microseconds=1))
    return RepricingRow(
        days=first if first == last else f"{first} to {last}",
        requested=f"{found.requested_by}, {found.requested_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC",
        words=progress_sentence(found),
        sums=cost_change_words(found),
        is_open=found.state == WorkState.OPEN,
        done=found.done,
        total=max(found.total, found.done),
    )


def progress_sentence(found: RepricingProgress) -> str:
    captures = plural(max(found.total, found.done), "capture")
    if found.state == WorkState.OPEN:
        priced = f"Running: {found.done:,} of {captures} recalculated"
    elif found.state == WorkState.SUPERSEDED:
        priced = f"Ended: {found.done:,} of {captures} recalculated"
    else:
        priced = f"Done: {plural(found.done, 'capture')} recalculated"
    failed = f", {found.failed:,} keep their cost" if found.failed else ""
    return f"{priced}, {plural(found.changed, 'cost')} changed{failed}"


def cost_change_words(found: RepricingProgress) -> str:
    """Known cost before and after, each with its number of captures."""
    before = total_words(found.before_usd, found.before_captures, found.before_lower_bounds)
    after = total_words(found.after_usd, found.after_captures, found.after_lower_bounds)
    return f"Known cost: {before} → {after}"


def total_words(usd: Decimal, captures: int, lower_bounds: int) -> str:
    amount = f"${usd:,.4f}" if usd >= LEGIBLE_USD else dollars(usd)
    return f"{'at least ' if lower_bounds else ''}{amount} ({plural(captures, 'capture')})"


def iso_day(moment: datetime) -> str:
    return moment.astimezone(UTC).date().isoformat()
