"""What a share of few says of the whole: the interval that the true rate lies in.

By Wilson's score (E. B. Wilson, Probable inference, the law of succession, and statistical
inference, 1927): it never leaves 0 to 1, and is honest for one of one as for none of twenty.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

Z = 1.959963984540054
"""Of the normal distribution: 95 in 100 lie within."""


@dataclass(frozen=True, slots=True)
class Interval:
    """``low`` and ``high`` from 0 to 1, with 95 % confidence."""

    part: int
    whole: int
    low: float
    high: float

    @property
    def words(self) -> str:
        low, high = percent(self.low), percent(self.high)
        return f"near {low}" if low == high else f"between {low} and {high}"

    @property
    def short(self) -> str:
        low, high = percent(self.low), percent(self.high)
        return low if low == high else f"{low} to {high}"

    @property
    def share(self) -> float:
        return self.part / self.whole


def interval(part: int, whole: int) -> Interval | None:
    """None of nothing. A part that cannot be, of sums that are off, is the nearest that can."""
    if whole <= 0:
        return None
    part = min(max(part, 0), whole)
    share, square = part / whole, Z * Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    spread = sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    half = Z / (1 + square / whole) * spread
    low = 0.0 if part == 0 else max(0.0, middle - half)
    high = 1.0 if part == whole else min(1.0, middle + half)
    return Interval(part, whole, low, high)


def percent(share: float) -> str:
    """Whole percents, never parted from their sign; only nothing is 0 % and only all is 100 %."""
    whole = round(100 * share) if share in (0, 1) else min(max(round(100 * share), 1), 99)
    return f"{whole}\N{NO-BREAK SPACE}%"
