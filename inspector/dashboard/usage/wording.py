"""Number formats of the usage page: shares, short numbers, money, and relative changes."""

from collections.abc import Mapping
from decimal import Decimal

from inspector.archive.listing.capture_values import UninspectedCount
from inspector.dashboard.text.cost_labels import unpriced_words
from inspector.formatting.humanize import plural, share
from inspector.formatting.wire_values import join_names
from inspector.usage.cost.money import TICKS
from inspector.usage.cost.money import dollars as whole_dollars
from inspector.usage.measures import Measure
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.queries import MeasureSums

FACTOR_FROM = 10
"""From this factor on, changes are given as multiples rather than percent."""


def dollars(ticks: int) -> str:
    """Format ticks of 1e-10 USD, rounded to 1e-6 USD unless smaller."""
    amount = Decimal(ticks) / TICKS
    if amount and amount < Decimal("0.000001"):
        return f"${amount:f}"
    if not amount or amount >= 1:
        return f"${amount:,.2f}" if amount else "$0"
    whole, _, cents = f"{amount:.6f}".rstrip("0").partition(".")
    return f"${whole}.{cents:0<2}"


def exact_dollars(ticks: int) -> str:
    return whole_dollars(Decimal(ticks) / TICKS)


def relative_change(now: int | None, before: int | None) -> str:
    """Change against the previous period; empty if either is unknown or the previous is 0."""
    if now is None or not before:
        return ""
    if now >= FACTOR_FROM * before:
        return f"× {round(now / before):,}"
    return f"{(now - before) / before:+.0%}".replace("%", " %")


def sum_in_dollars(sums: MeasureSums, measure: Measure) -> str:
    """Sum in dollars; empty if no capture reports it."""
    total = sums.total(measure)
    return "" if total is None else dollars(total)


def computed_cost(sums: MeasureSums) -> str:
    """Return computed cost, "at least" in front of a lower bound; empty if unknown."""
    cost = sum_in_dollars(sums, Measure.COST_COMPUTED)
    return f"at least {cost}" if cost and sums[Measure.COST_LOWER_BOUND].captures else cost


def legible_cost(sums: MeasureSums) -> str:
    """Return the listed cost, rounded, ``≥`` in front of a lower bound; empty if unknown."""
    return legible_amount(ListedCost.of(sums))


def legible_amount(cost: ListedCost) -> str:
    if cost.ticks is None:
        return ""
    amount = Decimal(cost.ticks) / TICKS
    text = f"{amount:,.2f}" if amount >= 1 or not amount else f"{Decimal(f'{amount:.2e}'):f}"
    return f"≥ ${text}" if cost.lower_bounds else f"${text}"


def computed_cost_where_both(sums: MeasureSums) -> str:
    """Return computed cost of the captures that also state one; empty if none does."""
    cost = sum_in_dollars(sums, Measure.COST_BOTH_COMPUTED)
    return f"at least {cost}" if cost and sums[Measure.COST_BOTH_LOWER_BOUND].captures else cost


def unpriced_captures_words(sums: MeasureSums) -> str:
    """Return ``searches (12 captures) and citation tokens (3)``; empty if nothing is excluded."""
    found = sums.by_value(Measure.UNPRICED)
    first = next(iter(found), None)
    return join_names(
        [
            f"{unpriced_words(kind)} ({plural(n, 'capture') if kind == first else f'{n:,}'})"
            for kind, n in found.items()
        ]
    )


def uninspected_sentence(found: UninspectedCount, are_more: bool) -> str:
    """Sentence about captures that are not inspected yet; empty if there are none."""
    if not found.captures:
        return ""
    number = plural(found.captures, "more capture" if are_more else "capture")
    sentence = f"{number} {'is' if found.captures == 1 else 'are'} not analysed yet"
    if not found.is_all:
        return f"Over {sentence}"
    return f"{sentence} ({found.quarantined:,} quarantined)" if found.quarantined else sentence


def rows_with_share(numbers: Mapping[str, int], captures: int) -> tuple[tuple[str, int, str], ...]:
    return tuple((name, number, share(number, captures)) for name, number in numbers.items())
