"""Costs of a period as rows: a change is told where both sides are known, and nowhere else."""

from __future__ import annotations

import pytest

from inspector.dashboard.usage_cost import cost_rows
from inspector.usage.measures import Measure
from inspector.usage.money import TICKS
from inspector.usage.queries import Amount, Sums

KNOWN = Sums(
    {
        (Measure.CAPTURES, ""): Amount(1),
        (Measure.COST_COMPUTED, ""): Amount(1, 2 * TICKS),
        (Measure.COST_STATED, ""): Amount(1, 2 * TICKS),
    }
)
FREE = Sums(
    {
        (Measure.CAPTURES, ""): Amount(1),
        (Measure.COST_COMPUTED, ""): Amount(1, 0),
        (Measure.COST_STATED, ""): Amount(1, 0),
    }
)
UNPRICED = Sums({(Measure.CAPTURES, ""): Amount(1), (Measure.COST_UNKNOWN, "no_price"): Amount(1)})


@pytest.mark.parametrize(
    ("every", "before", "change"),
    [
        (KNOWN, KNOWN, "+0 %"),
        (FREE, KNOWN, "-100 %"),
        (UNPRICED, KNOWN, ""),
        (Sums(), KNOWN, ""),
        (KNOWN, UNPRICED, ""),
        (KNOWN, Sums(), ""),
    ],
)
def test_an_unknown_cost_is_no_change_to_zero(every: Sums, before: Sums, change: str) -> None:
    found = {row.name: row.change for row in cost_rows(every, before)}
    assert found == {"computed": change, "stated by vendors": change}
