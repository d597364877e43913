"""Amounts of dollars: exact as decimals, in words, and as whole numbers that sums are made of."""

from __future__ import annotations

from decimal import Context, Decimal

EXACT = Context(prec=100)
"""A count of 19 digits times a rate, over a power of ten, needs fewer."""
TICKS = 10**10
"""Of one dollar. Sums of money are whole ticks, which both databases add up exactly: 64 bits hold
nine hundred million dollars, more than a team's answers of a year can say that they cost.
"""
MOST_DOLLARS = 1_000
"""That one response could cost: a million tokens at the highest rates are below it. A larger one is
a mistake, which must not spoil a month.
"""


def ticks(usd: Decimal | None) -> int | None:
    """None for what is no amount, or none that a response could cost."""
    if usd is None or not 0 <= usd <= MOST_DOLLARS:
        return None
    return round(usd * TICKS)


def plain(amount: Decimal | None) -> str | None:
    """Without exponent, and without zeros at the end."""
    if amount is None:
        return None
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def dollars(amount: Decimal | None) -> str:
    text = plain(amount)
    if text is None:
        return "unknown"
    return f"-${text[1:]}" if text.startswith("-") else f"${text}"
