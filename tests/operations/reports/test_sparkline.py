"""Arrivals over time as characters."""

from inspector.operations.reports.terminal_lines import sparkline


def test_arrivals_stand_where_they_came_and_silence_is_drawn() -> None:
    assert sparkline([40, 41, 50, 99, 100], 0, 10) == "····█▄···█"


def test_the_height_is_how_many_came_together() -> None:
    assert sparkline([0] * 8 + [50] * 4 + [100], 0, 3) == "█▄▁"


def test_one_moment_draws_nothing() -> None:
    assert sparkline([7, 7], 7, 10) == ""
    assert sparkline([], 0, 10) == ""


def test_a_clock_that_went_back_stays_inside() -> None:
    assert sparkline([10, -5, 20], 10, 4) == "█··▄"
