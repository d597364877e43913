"""Stated money: decimal text as the wire spelt it, added up exactly or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact

DIGITS = 100
LARGEST_POWER = 30
"""Of ten: amounts from there on, or that far below one, are no money."""


def sum_of(texts: Iterable[str]) -> str | None:
    """The exact sum as plain decimal text; None where one is no number or it cannot be exact."""
    context = Context(prec=DIGITS, traps=[])
    total = Decimal(0)
    for text in texts:
        total = context.add(total, context.create_decimal(text))
    if context.flags[Inexact] or not total.is_finite() or abs(total.adjusted()) >= LARGEST_POWER:
        return None
    return f"{total:f}"
