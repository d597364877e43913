"""The statistical test of drift detection (Fisher 1922). Pure."""

from __future__ import annotations

import math

# Least expected count in a cell of a table; rarer rows are merged before the test.


def fisher_one_sided(marked: int, here: int, there: int) -> float:
    """Fisher's exact test where one side has none: that all ``marked`` of the captures of both
    sides are among those ``here``. Returns the p-value.
    """
    return math.exp(_log_choices(here, marked) - _log_choices(here + there, marked))


def _log_choices(of: int, some: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)
