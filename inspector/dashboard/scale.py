"""From numbers to heights: as far up as a drawing goes, and the lines across it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from inspector.dashboard.axis import Mark

HEIGHT = 180
GRID_LINES = (4, 5, 2)
"""The first number of steps that divides the height evenly: what stands at a line is what it is."""

Said = Callable[[int], str]
Values = Sequence[int | None]
"""One for each slot."""


class Scale(NamedTuple):
    """``top`` is the number that stands at the upper end."""

    top: int
    height: int = HEIGHT

    def y(self, value: int) -> str:
        return f"{self.height - value / self.top * self.height:.2f}"

    def length(self, value: int) -> str:
        return f"{value / self.top * self.height:.2f}"

    def grid(self, said: Said) -> tuple[Mark, ...]:
        steps = next((steps for steps in GRID_LINES if self.top % steps == 0), 1)
        levels = (self.top // steps * line for line in range(steps + 1))
        return tuple(Mark(self.y(level), said(level)) for level in levels)


def scale_of(values: Sequence[int], height: int = HEIGHT) -> Scale:
    """Up to a round number that nothing exceeds."""
    highest = max(values, default=0) or 1
    power = int(f"1{'0' * (len(str(highest)) - 1)}")
    top = next(step * power for step in (1, 2, 4, 5, 10) if step * power >= highest)
    return Scale(top, height)
