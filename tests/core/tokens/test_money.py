"""Stated money is added up exactly, or not at all."""

import pytest

from inspector.core.tokens.money import exact_sum


@pytest.mark.parametrize(
    ("texts", "total"),
    [
        (["0.1", "0.20"], "0.30"),
        (["1e-9"], "0.000000001"),
        (["-1", "0.5"], "-0.5"),
        ([], "0"),
        (["0.1", "free"], None),
        (["Infinity"], None),
        (["NaN"], None),
        (["1e4000"], None),
        (["1e29", "1e-99"], None),
        (["9" * 101], None),
        (["1e999999999999999999999", "1"], None),
    ],
)
def test_a_sum_is_exact_or_there_is_none(texts: list[str], total: str | None) -> None:
    assert exact_sum(texts) == total
