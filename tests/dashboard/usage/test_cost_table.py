"""Costs of a period as rows: a change is told where both sides are known, and nowhere else."""

import pytest

from inspector.dashboard.usage.cost_table import cost_rows
from inspector.usage.cost.money import TICKS
from inspector.usage.measures import Measure
from inspector.usage.rollup.queries import MeasureSum, MeasureSums

KNOWN = MeasureSums(
    {
        (Measure.CAPTURES, ""): MeasureSum(1),
        (Measure.COST_COMPUTED, ""): MeasureSum(1, 2 * TICKS),
        (Measure.COST_STATED, ""): MeasureSum(1, 2 * TICKS),
    }
)
FREE = MeasureSums(
    {
        (Measure.CAPTURES, ""): MeasureSum(1),
        (Measure.COST_COMPUTED, ""): MeasureSum(1, 0),
        (Measure.COST_STATED, ""): MeasureSum(1, 0),
    }
)
UNPRICED = MeasureSums(
    {(Measure.CAPTURES, ""): MeasureSum(1), (Measure.COST_UNKNOWN, "no_price"): MeasureSum(1)}
)


@pytest.mark.parametrize(
    ("every", "before", "change"),
    [
        (KNOWN, KNOWN, "+0 %"),
        (FREE, KNOWN, "-100 %"),
        (UNPRICED, KNOWN, ""),
        (MeasureSums(), KNOWN, ""),
        (KNOWN, UNPRICED, ""),
        (KNOWN, MeasureSums(), ""),
    ],
)
def test_an_unknown_cost_is_no_change_to_zero(
    every: MeasureSums, before: MeasureSums, change: str
) -> None:
    found = {row.name: row.change for row in cost_rows(every, before)}
    assert found == {"computed": change, "stated by vendors": change}
