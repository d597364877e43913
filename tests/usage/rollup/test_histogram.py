import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.usage.rollup.histogram import LARGEST, bounds_of, bucket_of, percentile

NUMBERS = st.integers(0, LARGEST)


@given(NUMBERS)
def test_a_number_lies_between_the_bounds_of_its_bucket(value: int) -> None:
    least, following = bounds_of(bucket_of(value))
    assert least <= value < following


@given(NUMBERS)
def test_a_bucket_is_at_most_an_eighth_of_its_numbers_wide(value: int) -> None:
    least, following = bounds_of(bucket_of(value))
    assert following - least <= max(1, least // 8)


@given(st.integers(0, 400))
def test_buckets_lie_side_by_side(bucket: int) -> None:
    assert bounds_of(bucket)[1] == bounds_of(bucket + 1)[0]


@given(st.lists(st.integers(0, 10**7), min_size=1), st.sampled_from([0.5, 0.95, 0.99]))
def test_a_percentile_is_that_of_the_numbers_to_an_eighth(values: list[int], share: float) -> None:
    numbers: dict[int, int] = {}
    for value in values:
        numbers[bucket_of(value)] = numbers.get(bucket_of(value), 0) + 1
    rank = max(1, -(-int(share * 100) * len(values) // 100))
    exact = sorted(values)[rank - 1]
    found = percentile(numbers, share)
    assert found is not None
    assert abs(found - exact) <= max(1, exact // 8)


@pytest.mark.parametrize(("numbers", "expected"), [({}, None), ({0: 1}, 0), ({3: 1, 5: 99}, 5)])
def test_percentiles_of_few(numbers: dict[int, int], expected: int | None) -> None:
    assert percentile(numbers, 0.95) == expected
