import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.dashboard.text.rate_interval import percent_words, wilson_interval


@pytest.mark.parametrize(
    ("part", "whole", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)  # fmt: skip
def test_the_interval_is_the_published_one(part: int, whole: int, low: float, high: float) -> None:
    """R. G. Newcombe, Two-sided confidence intervals for the single proportion, Statistics in
    Medicine 17 (1998), table I, method 3: the score without continuity correction."""
    found = wilson_interval(part, whole)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_few_votes_say_little() -> None:
    three_of_four, one_of_one = wilson_interval(3, 4), wilson_interval(1, 1)
    assert three_of_four and three_of_four.words.replace("\xa0", " ") == "between 30 % and 95 %"
    assert one_of_one and one_of_one.words.replace("\xa0", " ") == "between 21 % and 100 %"


def test_of_very_many_both_ends_are_one() -> None:
    many = wilson_interval(38_995, 117_552)
    assert many and (many.words, many.short) == ("near 33\xa0%", "33\xa0%")


def test_of_nothing_there_is_no_rate() -> None:
    assert wilson_interval(0, 0) is None


def test_sums_that_are_off_break_no_page() -> None:
    assert wilson_interval(5, 4) == wilson_interval(4, 4)
    assert wilson_interval(-1, 4) == wilson_interval(0, 4)
    assert wilson_interval(1, -1) is None


@given(st.integers(0, 10_000), st.integers(1, 10_000))
def test_what_was_counted_lies_within(part: int, more: int) -> None:
    found = wilson_interval(part, part + more)
    assert found is not None
    assert 0 <= found.low <= found.share <= found.high <= 1
    mirrored = wilson_interval(more, part + more)
    assert mirrored is not None and mirrored.low == pytest.approx(1 - found.high)


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0 %"), (0.0001, "1 %"), (0.5, "50 %"), (0.9999, "99 %"), (1, "100 %")]
)
def test_only_nothing_is_nothing_and_only_all_is_all(share: float, words: str) -> None:
    assert percent_words(share).replace("\xa0", " ") == words
