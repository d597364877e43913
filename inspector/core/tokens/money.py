"""Adds up stated amounts of money exactly, from their decimal text."""

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact

DIGITS = 100
"""More than sums of amounts within these powers take."""
LARGEST_POWER = 30
"""Power of ten; amounts that large, or that many digits below one, are refused."""


def exact_sum(texts: Iterable[str]) -> str | None:
    """Return the exact sum as plain decimal text; None if a text is no number, or it is inexact."""
    context = Context(prec=DIGITS, traps=[])
    total = Decimal(0)
    for text in texts:
        total = context.add(total, context.create_decimal(text))
    if context.flags[Inexact] or not total.is_finite() or abs(total.adjusted()) >= LARGEST_POWER:
        return None
    return f"{total:f}"
