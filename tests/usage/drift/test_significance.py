"""Numbers that tables give, too."""

import math

import pytest

from inspector.usage.drift.significance import fisher_one_sided


def test_fishers_test_counts_choices() -> None:
    # 5 of 5 here and none of 30 there: one choice in C(35, 5).
    assert fisher_one_sided(5, 5, 30) == pytest.approx(1 / math.comb(35, 5))
    assert fisher_one_sided(3, 10, 20) == pytest.approx(math.comb(10, 3) / math.comb(30, 3))
    assert fisher_one_sided(10**6, 10**6, 10**6) == 0
