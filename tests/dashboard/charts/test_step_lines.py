"""Stepped lines: no line where nothing is known, and words in the margin that never overlap."""

import pytest

from inspector.dashboard.charts.scale import MarginLabel, ValueScale, spread_labels
from inspector.dashboard.charts.step_lines import (
    StepLabel,
    area_of,
    branch_of,
    label_of,
    line_of,
    separate_labels,
    value_runs,
)

TEN = ValueScale(10, 100)


def test_a_line_is_level_for_as_long_as_a_slot_is() -> None:
    assert line_of([5, 10], TEN) == "M0 50.00H1V0.00H2"
    assert area_of([5, 10], TEN) == "M0 100V50.00H1V0.00H2V100Z"


def test_what_is_not_known_is_a_hole_and_zero_is_a_line() -> None:
    assert line_of([5, None, 0], TEN) == "M0 50.00H1 M2 100.00H3"
    assert line_of([None, None], TEN) == ""
    assert [*value_runs([None, 1, 2, None, 3])] == [range(1, 3), range(4, 5)]


@pytest.mark.parametrize(
    ("others", "values", "path"),
    [
        ([None, 8, None], [5, 5, 5], "M1 50.00V20.00H2V50.00"),
        ([8, 9, None], [5, 5, 5], "M0 20.00V20.00H1V10.00H2V50.00"),
        ([None, 8, None], [None, 5, None], "M1 20.00V20.00H2"),
        ([None, None, None], [5, 5, 5], ""),
    ],
)
def test_another_line_leaves_the_first_and_comes_back(
    others: list[int | None], values: list[int | None], path: str
) -> None:
    assert branch_of(others, values, TEN) == path


def test_a_label_stands_above_all_that_it_stands_over() -> None:
    values: list[int | None] = [None, 2, 5, *[2] * 17]
    label = label_of("computed", "", values, TEN, [values])
    assert (label.x, label.at, label.is_before) == ("5.000%", "43.0", False)


def test_a_label_that_would_begin_late_ends_where_its_line_does() -> None:
    values: list[int | None] = [*[None] * 18, 2, 2]
    label = label_of("stated", "stated", values, TEN, [values])
    assert (label.x, label.is_before) == ("100.000%", True)


def test_a_label_stays_within_the_drawing() -> None:
    assert label_of("computed", "", [10], TEN, [[10]]).at == "11.0"


@pytest.mark.parametrize(
    ("below", "above", "heights"),
    [
        (StepLabel(0, 50, "a", ""), StepLabel(5, 48, "b", ""), [50, 36]),
        (StepLabel(0, 12, "a", ""), StepLabel(5, 11, "b", ""), [25, 11]),
        (StepLabel(0, 50, "a", ""), StepLabel(30, 48, "b", ""), [50, 48]),
        (StepLabel(0, 50, "a", ""), StepLabel(5, 30, "b", ""), [50, 30]),
        (StepLabel(70, 50, "a", ""), StepLabel(95, 48, "b", "", is_before=True), [50, 36]),
    ],
)
def test_labels_do_not_stand_on_each_other(
    below: StepLabel, above: StepLabel, heights: list[float]
) -> None:
    assert [label.y for label in separate_labels([below, above])] == heights
    assert separate_labels([below]) == (below,)


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
