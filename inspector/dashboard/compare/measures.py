"""Measures that a reader weighs beside the answers: what B cost and took against A."""

from collections.abc import Iterator
from decimal import Decimal
from uuid import UUID

from inspector.dashboard.compare.side import ComparedSide, Sides
from inspector.formatting.humanize import seconds, short_time, usd
from inspector.usage.cost.money import TICKS
from inspector.usage.rollup.queries import ComputedCost

Costs = dict[UUID, ComputedCost]
LEAST_TIMES = Decimal("1.95")
"""A ratio that is rounded to 2 and more is said as times; a smaller one in percent."""


def measure_words(sides: Sides, costs: Costs) -> str:
    """Say ``B costs 2.8 times as much, 21.89 s slower``; nothing of what is not known of both, or
    is of both alike.
    """
    cost, time = (", ".join(words) for words in (cost_words(sides, costs), time_words(sides)))
    if cost and time:
        return f"B {cost}, {time}"
    return f"B {cost}" if cost else f"B is {time}" if time else ""


def cost_words(sides: Sides, costs: Costs) -> Iterator[str]:
    before, after = (cost_of(side, costs) for side in sides)
    if before is None or after is None or before == after:
        return
    if not before or not after:
        yield f"costs {usd(str(after))}, A {usd(str(before))}"
    elif after / before >= LEAST_TIMES:
        yield f"costs {times_words(after / before)} times as much"
    else:
        more = "more" if after > before else "less"
        yield f"costs {percent_words(abs(after - before) / before)} {more}"


def times_words(ratio: Decimal) -> str:
    return f"{ratio:,.1f}" if ratio < 10 else f"{ratio:,.0f}"


def percent_words(part: Decimal) -> str:
    percent = round(100 * part)
    return (
        "under 1 %"
        if percent < 1
        else "over 99 %"
        if percent == 100 and part < 1
        else f"{percent} %"
    )


def time_words(sides: Sides) -> Iterator[str]:
    first, other = (took(side) for side in sides)
    if first is not None and other is not None and seconds(first) != seconds(other):
        yield f"{short_time(abs(other - first))} {'slower' if other > first else 'faster'}"


def took(side: ComparedSide) -> int | None:
    return side.analysis.timeline.duration_us if side.analysis else None


def cost_of(side: ComparedSide, costs: Costs) -> Decimal | None:
    """As the list shows it."""
    found = costs.get(side.named.id)
    return (
        None if found is None or found.listed_ticks is None else Decimal(found.listed_ticks) / TICKS
    )
