"""Costs of a period as rows: a change is told where both sides are known, and nowhere else."""

from __future__ import annotations

import pytest

from inspector.dashboard.usage_cost import cost_rows
from inspector.usage.cost import COMPUTED, STATED, UNKNOWN
from inspector.usage.money import TICKS
from inspector.usage.queries import Amount, Sums
from inspector.usage.share import CAPTURES

KNOWN = Sums({CAPTURES: Amount(1), COMPUTED: Amount(1, 2 * TICKS), STATED: Amount(1, 2 * TICKS)})
FREE = Sums({CAPTURES: Amount(1), COMPUTED: Amount(1, 0), STATED: Amount(1, 0)})
UNPRICED = Sums({CAPTURES: Amount(1), f"{UNKNOWN}no price of the model": Amount(1)})


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
