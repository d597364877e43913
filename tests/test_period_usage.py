"""The usage of a period as a value for page and API."""

from inspector.period_usage import MoneySum, Percentiles, group_usage
from inspector.usage.rollup.queries import MeasureSum, MeasureSums, UsageGroup


def test_a_group_says_by_how_many_captures_each_sum_was_stated() -> None:
    sums = MeasureSums(
        {("captures", ""): MeasureSum(3, 0), ("cost_stated", ""): MeasureSum(2, 1_500_000_000)}
    )
    found = group_usage(UsageGroup(None, sums))
    assert (found.value, found.captures, found.tokens) == (None, 3, {})
    assert found.stated_usd == MoneySum("0.15", 2)
    assert found.first_token_us == Percentiles(None, None, None)
