"""Stepped lines: no line where nothing is known, and words in the margin that never overlap."""

import pytest

from inspector.dashboard.charts.scale import MarginLabel, ValueScale, spread_labels
from inspector.dashboard.charts.step_lines import area_of, line_of, value_runs

TEN = ValueScale(10, 100)


def test_a_line_is_level_for_as_long_as_a_slot_is() -> None:
    assert line_of([5, 10], TEN) == "M0 50.00H1V0.00H2"
    assert area_of([5, 10], TEN) == "M0 100V50.00H1V0.00H2V100Z"


def test_what_is_not_known_is_a_hole_and_zero_is_a_line() -> None:
    assert line_of([5, None, 0], TEN) == "M0 50.00H1 M2 100.00H3"
    assert line_of([None, None], TEN) == ""
    assert [*value_runs([None, 1, 2, None, 3])] == [range(1, 3), range(4, 5)]


def test_ends_stand_at_their_places_where_there_is_room() -> None:
    ends = spread_labels([MarginLabel(10, "a"), MarginLabel(90, "b")], 100)
    assert [(end.text, end.y) for end in ends] == [("a", 14), ("b", 94)]


@pytest.mark.parametrize("heights", [(50, 50, 50), (0, 1, 2), (99, 100, 100), (100, 0, 50)])
def test_ends_never_overlap_and_never_leave_the_drawing(heights: tuple[int, ...]) -> None:
    ends = spread_labels([MarginLabel(y, str(y)) for y in heights], 100)
    placed = [end.y for end in ends]
    assert all(below - above >= 14 for above, below in zip(placed, placed[1:], strict=False))
    assert placed[0] >= 4 and placed[-1] <= 104
    assert [int(end.text) for end in ends] == sorted(heights)
