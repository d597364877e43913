import pytest

from inspector.dashboard.request_values import parse_whole_number


@pytest.mark.parametrize("text, number", [("0", 0), ("007", 7), ("99999999999", 99_999_999_999)])
def test_digits_are_a_number(text: str, number: int) -> None:
    assert parse_whole_number(text) == number


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1_0", "²", "٣", "1x", "1" * 12])
def test_anything_else_is_none(text: str) -> None:
    assert parse_whole_number(text) is None
