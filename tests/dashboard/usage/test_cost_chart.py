"""The drawing of costs: what is the least or unknown is called so where it stands, only there."""

from datetime import UTC, datetime, timedelta

import pytest

from inspector.dashboard.charts.axis import time_axis
from inspector.dashboard.charts.chart import Chart
from inspector.dashboard.usage.cost_chart import cost_chart
from inspector.usage.cost.money import TICKS
from inspector.usage.measures import Measure
from inspector.usage.models import DAY_SECONDS
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import MeasureSum, MeasureSums, merge_sums

DAY = Period(datetime(2026, 11, 2, tzinfo=UTC), datetime(2026, 11, 3, tzinfo=UTC), DAY_SECONDS)
WHOLE = MeasureSums({(Measure.COST_COMPUTED, ""): MeasureSum(1, TICKS)})
FREE = MeasureSums({(Measure.COST_COMPUTED, ""): MeasureSum(1, 0)})
PARTLY = MeasureSums(
    {
        (Measure.COST_COMPUTED, ""): MeasureSum(1, TICKS),
        (Measure.COST_UNKNOWN, "no_price"): MeasureSum(2, 0),
    }
)
UNPRICED = MeasureSums({(Measure.COST_UNKNOWN, "no_price"): MeasureSum(3, 0)})
DIFFERING = MeasureSums(
    {
        (Measure.COST_COMPUTED, ""): MeasureSum(2, 3 * TICKS),
        (Measure.COST_BOTH_COMPUTED, ""): MeasureSum(1, TICKS),
        (Measure.COST_STATED, ""): MeasureSum(1, 2 * TICKS),
    }
)
LEAST = MeasureSums(
    {
        (Measure.COST_COMPUTED, ""): MeasureSum(1, 2 * TICKS),
        (Measure.COST_LOWER_BOUND, ""): MeasureSum(1, 2 * TICKS),
    }
)


@pytest.mark.parametrize(
    ("now", "before", "cells", "words"),
    [
        (WHOLE, WHOLE, ("$1", "$1"), ": $1.00; before: $1.00"),
        (LEAST, WHOLE, ("≥ $2", "$1"), ": $2.00; before: $1.00"),
        (WHOLE, LEAST, ("$1", "≥ $2"), ": $1.00; before: ≥ $2.00"),
        (LEAST, LEAST, ("≥ $2", "≥ $2"), ": $2.00; before: ≥ $2.00"),
        (LEAST, None, ("≥ $2",), ": $2.00"),
        (None, LEAST, ("≥ $2",), ": before: ≥ $2.00"),
    ],
)
def test_each_sum_is_the_least_where_something_is_missing_from_itself(
    now: MeasureSums | None, before: MeasureSums | None, cells: tuple[str, ...], words: str
) -> None:
    slots = {} if now is None else {DAY.start: now}
    befores = {} if before is None else {DAY.before.start: before}
    (column,) = cost_chart(time_axis(DAY, nowhere), slots, befores).columns
    assert (column.cells, words in column.words) == (cells, True)


def nowhere(since: datetime, until: datetime) -> str:
    return ""


def chart(*days: MeasureSums | None, now: datetime | None = None) -> Chart:
    """Return the chart of one day after the other; None where nothing was received."""
    start, day = DAY.start, timedelta(days=1)
    period = Period(start, start + len(days) * day, DAY_SECONDS)
    slots = {start + at * day: sums for at, sums in enumerate(days) if sums is not None}
    return cost_chart(time_axis(period, nowhere, now), slots, {})


def test_an_unknown_cost_is_no_zero_and_no_line() -> None:
    drawn = chart(WHOLE, UNPRICED, None, FREE)
    assert drawn.heads == ("cost", "captures of unknown cost")
    assert [column.cells for column in drawn.columns] == [
        ("$1", "0"),
        ("unknown", "3"),
        ("", ""),
        ("$0", "0"),
    ]
    assert drawn.steps is not None and drawn.steps.line == "M0 0.00H1 M3 88.00H4"
    assert [column.words.partition(": ")[2] for column in drawn.columns] == [
        "$1.00",
        "cost unknown for 3 captures",
        "",
        "$0",
    ]


def test_a_line_that_lacks_something_is_marked_at_its_foot_and_says_what() -> None:
    drawn = chart(WHOLE, PARTLY, LEAST, UNPRICED, None)
    lacking = [[block.tone for block in column.blocks] for column in drawn.columns]
    assert lacking == [[], ["lacking"], ["lacking"], ["lacking"], []]
    assert "$1.00; unknown for 2 more captures" in drawn.columns[1].words
    assert "unknown" not in drawn.columns[0].words


def test_the_line_is_of_what_lists_show_the_stated_cost_before_the_computed_one() -> None:
    drawn = chart(WHOLE, DIFFERING)
    assert drawn.steps is not None and drawn.steps.line == "M0 66.00H1V0.00H2"
    assert [column.cells for column in drawn.columns] == [("$1",), ("$4",)]
    (two,) = chart(merge_sums([DIFFERING, DIFFERING])).columns
    assert two.cells == ("$8",)


@pytest.mark.parametrize(
    ("days", "ends"),
    [
        ((WHOLE, WHOLE), ["$1.00"]),
        ((WHOLE, LEAST), ["≥ $2.00"]),
        ((WHOLE, PARTLY), ["$1.00"]),
        ((WHOLE, UNPRICED), ["$1.00", "2 Nov"]),
        ((WHOLE, None), ["$1.00", "2 Nov"]),
        ((UNPRICED,), []),
    ],
)
def test_the_last_cost_stands_in_the_margin_with_its_day_where_that_is_not_the_last(
    days: tuple[MeasureSums | None, ...], ends: list[str]
) -> None:
    assert [end.text for end in chart(*days).ends] == ends
