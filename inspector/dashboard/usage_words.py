"""How sums are written on the usage page: shares, short numbers, money, and how much changed."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from inspector.archive.values import Uninspected
from inspector.dashboard.cost_words import unpriced_words
from inspector.dashboard.templatetags.formats import plural
from inspector.usage.measures import Measure
from inspector.usage.money import TICKS
from inspector.usage.money import dollars as whole_dollars
from inspector.usage.queries import Sums

MANY_TIMES = 10
"""From which on nobody reads percent."""


def share(part: int, whole: int) -> str:
    """Only all of them are 100 %, and only none are 0 %."""
    if part in (0, whole) or not whole:
        return "100 %" if part else "0 %"
    percent = round(100 * part / whole)
    return "under 1 %" if percent < 1 else "over 99 %" if percent > 99 else f"{percent} %"


def short(number: int) -> str:
    """``1,846``, ``39.5 M``: about three figures from a hundred thousand on, rounded."""
    for power, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        # What is rounded up to the next unit is told in that.
        if number >= 99.95 * power:
            return f"{round(number / power):,} {unit}"
        if number >= power - power // 2_000:
            return f"{number / power:.1f} {unit}"
    return f"{number:,}" if number < 100_000 else f"{round(number / 1000)} k"


def seconds(us: int) -> str:
    return f"{us / 1_000_000:.2f} s"


def dollars(ticks: int) -> str:
    """To the ten-thousandth of a cent; what is less is shown whole."""
    amount = Decimal(ticks) / TICKS
    if amount and amount < Decimal("0.000001"):
        return f"${amount:f}"
    if not amount or amount >= 1:
        return f"${amount:,.2f}" if amount else "$0"
    whole, _, cents = f"{amount:.6f}".rstrip("0").partition(".")
    return f"${whole}.{cents:0<2}"


def exact_dollars(ticks: int) -> str:
    return whole_dollars(Decimal(ticks) / TICKS)


def change_of(now: int | None, before: int | None) -> str:
    """Against the period before; nothing where that had none, or where it is not known now."""
    if now is None or not before:
        return ""
    if now >= MANY_TIMES * before:
        return f"× {round(now / before):,}"
    return f"{(now - before) / before:+.0%}".replace("%", " %")


def money(sums: Sums, measure: Measure) -> str:
    """Empty where no capture told it."""
    total = sums.total(measure)
    return "" if total is None else dollars(total)


def computed(sums: Sums, least: str = "at least ") -> str:
    """With ``least`` before it where something billed is not in it; empty where none is known."""
    cost = money(sums, Measure.COST_COMPUTED)
    return f"{least}{cost}" if cost and sums[Measure.COST_AT_LEAST].captures else cost


def rounded_cost(sums: Sums) -> str:
    """For the headline: whole cents, below one cent one significant digit."""
    total = sums.total(COMPUTED)
    if total is None:
        return ""
    amount = Decimal(total) / TICKS
    if amount and amount < Decimal("0.01"):
        text = f"{Decimal(f'{amount:.0e}'):f}"
    else:
        text = f"{amount:,.2f}"
    return f"≥ ${text}" if sums[AT_LEAST].captures else f"${text}"


def both_computed(sums: Sums) -> str:
    """Of the captures that state a cost, too; empty where none does."""
    cost = money(sums, Measure.COST_BOTH_COMPUTED)
    return f"at least {cost}" if cost and sums[Measure.COST_BOTH_AT_LEAST].captures else cost


def not_in_it(sums: Sums) -> str:
    """``searches of 12 captures and tokens of citations of 3``; empty where nothing is missing."""
    found = sums.by_value(Measure.UNPRICED)
    first = next(iter(found), None)
    each = (
        f"{unpriced_words(what)} of {plural(n, 'capture') if what == first else f'{n:,}'}"
        for what, n in found.items()
    )
    return " and ".join(each)


def not_inspected(found: Uninspected, are_more: bool) -> str:
    """What arrived beside what is summed up; empty where all of it is inspected."""
    if not found.captures:
        return ""
    number = plural(found.captures, "more capture" if are_more else "capture")
    were = "was received and is" if found.captures == 1 else "were received and are"
    said = f"{number} {were} not analysed"
    if not found.is_all:
        return f"Over {said}"
    return f"{said} ({found.quarantined:,} quarantined)" if found.quarantined else said


def counted(numbers: Mapping[str, int], captures: int) -> tuple[tuple[str, int, str], ...]:
    return tuple((name, number, share(number, captures)) for name, number in numbers.items())
