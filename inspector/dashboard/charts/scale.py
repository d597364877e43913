"""Maps numbers to pixel heights: round grid lines, and labels in the right margin beside the lines
that they name.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from inspector.dashboard.charts.axis import AxisTick

HEIGHT = 88
GRID_LINES = (4, 5, 2)
"""Numbers of grid steps to try, so that grid lines are at round values."""

FormatNumber = Callable[[int], str]
Values = Sequence[int | None]
"""One per slot; None if unknown."""


class ValueScale(NamedTuple):
    """``top`` is the value at the upper edge of the chart."""

    top: int
    height: int = HEIGHT

    def y(self, value: int) -> str:
        return f"{self.height - value / self.top * self.height:.2f}"

    def length(self, value: int) -> str:
        return f"{value / self.top * self.height:.2f}"

    def grid(self, format_number: FormatNumber) -> tuple[AxisTick, ...]:
        steps = next((steps for steps in GRID_LINES if self.top % steps == 0), 1)
        levels = (self.top // steps * line for line in range(steps + 1))
        return tuple(AxisTick(self.y(level), format_number(level)) for level in levels)


def scale_of(values: Sequence[int], height: int = HEIGHT) -> ValueScale:
    """Return a scale up to a round number that is at least the maximum."""
    highest = max(values, default=0) or 1
    power = int(f"1{'0' * (len(str(highest)) - 1)}")
    top = next(step * power for step in (1, 2, 4, 5, 10) if step * power >= highest)
    return ValueScale(top, height)


LINE = 14
"""Line height in pixels."""
FIRST = 4
"""Baseline of the topmost label, so that it stays inside the chart."""


@dataclass(frozen=True, slots=True)
class MarginLabel:
    """``y`` is the baseline of the text, ``tone`` its CSS class."""

    y: float
    text: str
    tone: str = ""

    @property
    def at(self) -> str:
        return f"{self.y:.1f}"


def spread_labels(ends: Iterable[MarginLabel], height: int) -> tuple[MarginLabel, ...]:
    """Move labels apart so that none overlap, keeping their order from the top."""
    lines = sorted((replace(end, y=end.y + FIRST) for end in ends), key=lambda each: each.y)
    return tuple(_risen([*_sunk(lines)], height + FIRST))


def _sunk(ends: Iterable[MarginLabel]) -> Iterator[MarginLabel]:
    least = float(FIRST)
    for end in ends:
        yield (placed := replace(end, y=max(end.y, least)))
        least = placed.y + LINE


def _risen(ends: list[MarginLabel], height: int) -> Iterator[MarginLabel]:
    """Move labels up until the lowest one is inside the chart."""
    for at, end in enumerate(ends):
        yield replace(end, y=min(end.y, height - LINE * (len(ends) - 1 - at)))
