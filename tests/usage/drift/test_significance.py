"""Numbers that tables and other programs give, too."""

import math

import pytest

from inspector.usage.drift.significance import (
    fisher_one_sided,
    g_test,
    mann_whitney,
)


def test_fishers_test_counts_choices() -> None:
    # 5 of 5 here and none of 30 there: one choice in C(35, 5).
    assert fisher_one_sided(5, 5, 30) == pytest.approx(1 / math.comb(35, 5))
    assert fisher_one_sided(3, 10, 20) == pytest.approx(math.comb(10, 3) / math.comb(30, 3))
    assert fisher_one_sided(10**6, 10**6, 10**6) == 0


@pytest.mark.parametrize(
    ("before", "since", "g", "freedom", "chance"),
    [
        # 0.05 of chi-square with one to four degrees of freedom: 3.841, 5.991, 7.815, 9.488.
        ([50, 50], [50, 50], 0, 1, 1),
        ([60, 40], [40, 60], 8.0546, 1, 0.004540),
        ([60, 40, 50], [40, 60, 50], 8.0546, 2, 0.017822),
        ([60, 40, 50, 50], [40, 60, 50, 50], 8.0546, 3, 0.044871),
        ([60, 40, 50, 50, 50], [40, 60, 50, 50, 50], 8.0546, 4, 0.089604),
    ],
)
def test_g_and_its_chance(
    before: list[int], since: list[int], g: float, freedom: int, chance: float
) -> None:
    found = g_test(before, since)
    assert found[0] == pytest.approx(g, abs=1e-3)
    assert found[1] == freedom
    assert found[2] == pytest.approx(chance, abs=1e-4)


def test_rare_reasons_are_added_up_first() -> None:
    assert g_test([90, 1, 1, 1], [90, 1, 1, 1])[1] == 1
    assert g_test([100], [100]) == (0, 0, 1)


def test_ranks_with_ties() -> None:
    # By hand: ranks of since are 2.5, 4 and 5; U = 5.5 of 6 pairs, mean 3, one tie of two.
    z, chance = mann_whitney([1, 1, 0, 0], [0, 1, 1, 1])
    deviation = math.sqrt(2 * 3 / 12 * (6 - 6 / 20))
    assert z == pytest.approx((5.5 - 3 - 0.5) / deviation)
    assert chance == pytest.approx(math.erfc(z / math.sqrt(2)))
    assert mann_whitney([0, 1, 1, 1], [1, 1, 0, 0])[0] == pytest.approx(-z)


def test_where_all_are_alike_nothing_is_told() -> None:
    assert mann_whitney([9], [9]) == (0, 1)


def test_hundreds_of_rows_that_all_moved_are_no_chance_and_a_number() -> None:
    some = [10] * 900
    chance = g_test([*some, *([0] * 900)], [*([0] * 900), *some])[2]
    assert 0 <= chance < 1e-300
    assert g_test(some, some)[2] == pytest.approx(1)
