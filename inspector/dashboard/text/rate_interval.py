"""Confidence interval of a rate, by Wilson's score.

E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927: never
outside 0 to 1, and valid for small samples and rates near 0 or 1.
"""

from dataclasses import dataclass
from math import sqrt

Z_95 = 1.959963984540054
"""Quantile of the normal distribution for 95 % two-sided confidence."""


@dataclass(frozen=True, slots=True)
class RateInterval:
    """Bounds ``low`` and ``high`` between 0 and 1, with 95 % confidence."""

    part: int
    whole: int
    low: float
    high: float

    @property
    def words(self) -> str:
        low, high = percent_words(self.low), percent_words(self.high)
        return f"near {low}" if low == high else f"between {low} and {high}"

    @property
    def short(self) -> str:
        low, high = percent_words(self.low), percent_words(self.high)
        return low if low == high else f"{low} to {high}"

    @property
    def share(self) -> float:
        return self.part / self.whole


def wilson_interval(part: int, whole: int) -> RateInterval | None:
    """Return the interval, None if ``whole`` is 0. Clamps ``part``, as sums may be inconsistent."""
    if whole <= 0:
        return None
    part = min(max(part, 0), whole)
    share, square = part / whole, Z_95 * Z_95
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    spread = sqrt(share * (1 - share) / whole + square / (4 * whole * whole))
    half = Z_95 / (1 + square / whole) * spread
    low = 0.0 if part == 0 else max(0.0, middle - half)
    high = 1.0 if part == whole else min(1.0, middle + half)
    return RateInterval(part, whole, low, high)


def percent_words(share: float) -> str:
    """Whole percents with a no-break space; 0 % and 100 % only if exact."""
    whole = round(100 * share) if share in (0, 1) else min(max(round(100 * share), 1), 99)
    return f"{whole}\N{NO-BREAK SPACE}%"
