"""How times, sizes, counts and money are written; every page and panel writes them this way."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from django import template
from django.utils import timezone

register = template.Library()

UNKNOWABLE = "–"
"""Stands where a value cannot be known, as opposed to one that was not sent."""
SMALLEST_USD = Decimal("0.00000001")
"""What is less in a narrow column is only said to be less."""


@register.filter
def count(value: int) -> str:
    """``1846`` as ``1,846``."""
    return f"{value:,}"


@register.filter
def seconds(us: int | None) -> str:
    """Microseconds as ``0.655 s``."""
    return UNKNOWABLE if us is None else f"{us / 1_000_000:,.3f} s"


@register.filter
def plain_seconds(us: int) -> str:
    """Microseconds as ``0.655``, where the column names the unit."""
    return f"{us / 1_000_000:,.3f}"


@register.filter
def short_seconds(us: int | None) -> str:
    """Microseconds as ``0.66``, for a column that names its unit."""
    return UNKNOWABLE if us is None else f"{us / 1_000_000:,.2f}"


@register.filter
def milliseconds(us: int) -> str:
    """Microseconds as ``39 ms``; below ten, one decimal."""
    ms = us / 1000
    return f"{ms:,.0f} ms" if ms >= 10 else f"{ms:.1f} ms"


@register.filter
def rate(a_second: float) -> str:
    """``1,284`` a second; below ten, one decimal."""
    return f"{a_second:,.0f}" if a_second >= 10 else f"{a_second:.1f}"


@register.filter
def size(length: int) -> str:
    """Bytes as ``812 B``, ``38.1 kB`` or ``2.4 MB``."""
    if length < 1000:
        return f"{length} B"
    if length < 1_000_000:
        return f"{length / 1000:,.1f} kB"
    return f"{length / 1_000_000:,.1f} MB"


@register.filter
def age(then: datetime, now: datetime | None = None) -> str:
    """Time since a moment in one unit, rounded down: ``now``, ``38 s``, ``4 m``, ``3 h``, ``2 d``.

    static/dashboard/ages.js keeps pages that stay open to the same rule.
    """
    past = int(((now or timezone.now()) - then).total_seconds())
    if past < 2:
        return "now"
    for limit, length, unit in ((60, 1, "s"), (3600, 60, "m"), (86_400, 3600, "h")):
        if past < limit:
            return f"{past // length} {unit}"
    return f"{past // 86_400} d"


@register.filter
def moment(then: datetime) -> str:
    """A moment as ``20 Nov 2026, 14:02:19 UTC``."""
    utc = then.astimezone(UTC)
    return f"{utc.day} {utc:%b %Y, %H:%M:%S} UTC"


@register.filter
def short_id(value: object) -> str:
    """The end of an id: the beginning of a UUIDv7 is the same for all of one minute."""
    return str(value)[-12:]


@register.filter
def usd(text: str) -> str:
    """Stated money exactly as it was stated, with its currency."""
    return f"${text}"


@register.filter
def short_usd(text: str) -> str:
    """Money for a narrow column: four decimals, one significant digit below that."""
    try:
        amount = Decimal(text)
    except InvalidOperation:
        return text
    if not amount.is_finite() or amount.adjusted() > 12:
        return text
    if amount == 0:
        return "$0"
    if abs(amount) >= Decimal("0.0001"):
        return f"${amount:.4f}"
    rounded = Decimal(f"{amount:.0e}")
    return f"${rounded:f}" if abs(rounded) >= SMALLEST_USD else f"<${SMALLEST_USD:f}"


def plural(number: int, one: str, many: str | None = None) -> str:
    """``1 event``, ``2 events``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
