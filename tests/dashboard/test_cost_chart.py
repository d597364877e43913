"""The drawing of costs: what is the least is called so where it stands, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from inspector.dashboard.axis import axis_of
from inspector.dashboard.usage_cost import cost_chart
from inspector.usage.cost import AT_LEAST, COMPUTED
from inspector.usage.models import DAY_SECONDS
from inspector.usage.money import TICKS
from inspector.usage.periods import Period
from inspector.usage.queries import Amount, Sums

DAY = Period(datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 3, tzinfo=UTC), DAY_SECONDS)
WHOLE = Sums({COMPUTED: Amount(1, TICKS)})
LEAST = Sums({COMPUTED: Amount(1, 2 * TICKS), AT_LEAST: Amount(1, 2 * TICKS)})


@pytest.mark.parametrize(
    ("now", "before", "cells", "words"),
    [
        (WHOLE, WHOLE, ("$1", "$1"), "computed $1.00; before: $1.00"),
        (LEAST, WHOLE, ("≥ $2", "$1"), "computed $2.00; before: $1.00"),
        (WHOLE, LEAST, ("$1", "≥ $2"), "computed $1.00; before: ≥ $2.00"),
        (LEAST, LEAST, ("≥ $2", "≥ $2"), "computed $2.00; before: ≥ $2.00"),
        (LEAST, None, ("≥ $2",), "computed $2.00"),
        (None, LEAST, ("≥ $2",), "; before: ≥ $2.00"),
    ],
)
def test_each_sum_is_the_least_where_something_is_missing_from_itself(
    now: Sums | None, before: Sums | None, cells: tuple[str, ...], words: str
) -> None:
    slots = {} if now is None else {DAY.start: now}
    befores = {} if before is None else {DAY.before.start: before}
    (column,) = cost_chart(axis_of(DAY, lambda since, until: ""), slots, befores).columns
    assert (column.cells, words in column.words) == (cells, True)
