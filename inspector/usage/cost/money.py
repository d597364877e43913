"""Amounts of dollars: exact decimals, text for people, and whole numbers that are added up."""

from decimal import Context, Decimal
from typing import overload

EXACT = Context(prec=100)
"""A count of 19 digits times a rate, over a power of ten, needs fewer."""
# Ticks in a dollar. Sums are whole ticks, which both databases add exactly; 64 bits hold nine
# hundred million dollars, more than a team's responses of a year can state.
TICKS = 10**10
# Most that one response can cost: a million tokens at the highest rates cost less. A larger stated
# amount is a mistake and must not distort a month.
MAX_DOLLARS = 1_000


def ticks(usd: Decimal | None) -> int | None:
    """Dollars as ticks. None where there is no amount, or none that one response could cost."""
    if usd is None or not 0 <= usd <= MAX_DOLLARS:
        return None
    return round(usd * TICKS)


def usd_of(ticks: int | None) -> str | None:
    """Ticks as exact decimal text in dollars."""
    return None if ticks is None else plain(EXACT.divide(Decimal(ticks), Decimal(TICKS)))


@overload
def plain(amount: Decimal) -> str: ...


@overload
def plain(amount: Decimal | None) -> str | None: ...


def plain(amount: Decimal | None) -> str | None:
    """Format an amount without exponent and without trailing zeros."""
    if amount is None:
        return None
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: Decimal | None) -> str:
    text = plain(amount)
    if text is None:
        return "unknown"
    return f"-${text[1:]}" if text.startswith("-") else f"${text}"
