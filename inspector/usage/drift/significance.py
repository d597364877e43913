"""Statistical tests of drift detection.

Pure. Standard formulas: Fisher 1922; Sokal and Rohlf (G-test); Mann and Whitney 1947; for the tail
of chi-square Abramowitz and Stegun 26.4.4 and 26.4.5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

# Least expected count in a cell of a table; rarer rows are merged before the test.
MIN_EXPECTED = 5


def fisher_one_sided(marked: int, here: int, there: int) -> float:
    """Fisher's exact test where one side has none: that all ``marked`` of the captures of both
    sides are among those ``here``. Returns the p-value.
    """
    return math.exp(_log_choices(here, marked) - _log_choices(here + there, marked))


def g_test(before: Sequence[int], since: Sequence[int]) -> tuple[float, int, float]:
    """G, its degrees of freedom and the p-value, of the same rows counted twice."""
    table = _tested_rows(before, since)
    columns = [sum(row[side] for row in table) for side in (0, 1)]
    total = sum(columns)
    cells = (
        (seen, sum(row) * column / total)
        for row in table
        for seen, column in zip(row, columns, strict=True)
    )
    g = 2 * sum(seen * math.log(seen / expected) for seen, expected in cells if seen)
    freedom = len(table) - 1
    return g, freedom, _beyond_chi_square(g, freedom) if freedom else 1.0


def mann_whitney(before: Sequence[int], since: Sequence[int]) -> tuple[float, float]:
    """Mann-Whitney's z, above 0 where ``since`` is larger, and the two-sided p-value.

    Of counts by ascending value: all in one bucket are ties.
    """
    first, second = sum(before), sum(since)
    total, seen, ranks, ties = first + second, 0, 0.0, 0
    for a, b in zip(before, since, strict=True):
        tied = a + b
        ranks += b * (seen + (tied + 1) / 2)
        ties += tied**3 - tied
        seen += tied
    off = ranks - second * (second + 1) / 2 - first * second / 2
    variance = first * second / 12 * (total + 1 - ties / (total * (total - 1)))
    if variance <= 0:
        return 0.0, 1.0
    z = math.copysign(max(0.0, abs(off) - 0.5), off) / math.sqrt(variance)
    return z, math.erfc(abs(z) / math.sqrt(2))


def _log_choices(of: int, some: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)


def _tested_rows(before: Sequence[int], since: Sequence[int]) -> list[tuple[int, int]]:
    rows = [(a, b) for a, b in zip(before, since, strict=True) if a + b]
    smaller = min(sum(before), sum(since)) / max(1, sum(before) + sum(since))
    common = [row for row in rows if sum(row) * smaller >= MIN_EXPECTED]
    rare = [row for row in rows if sum(row) * smaller < MIN_EXPECTED]
    return [*common, _summed(rare)] if rare else common


def _summed(rows: Iterable[tuple[int, int]]) -> tuple[int, int]:
    every = list(rows)
    return sum(a for a, _ in every), sum(b for _, b in every)


def _beyond_chi_square(x: float, freedom: int) -> float:
    if x <= 0:
        return 1.0
    half, is_odd = x / 2, freedom % 2
    # The terms of the series, each from the one before it; as logarithms, for there are hundreds.
    log_term = math.log(2 * x / math.pi) / 2 if is_odd else 0.0
    found = math.erfc(math.sqrt(half)) if is_odd else 0.0
    for at in range(freedom // 2):
        found += math.exp(log_term - half)
        log_term += math.log(x / (2 * at + 3) if is_odd else half / (at + 1))
    return found
