"""Labels in the right margin of a chart, each beside the line it names, without overlaps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

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
    """Moves labels apart so that none overlap, keeping their order from the top."""
    lines = sorted((replace(end, y=end.y + FIRST) for end in ends), key=lambda each: each.y)
    return tuple(_risen([*_sunk(lines)], height + FIRST))


def _sunk(ends: Iterable[MarginLabel]) -> Iterator[MarginLabel]:
    least = float(FIRST)
    for end in ends:
        yield (placed := replace(end, y=max(end.y, least)))
        least = placed.y + LINE


def _risen(ends: list[MarginLabel], height: int) -> Iterator[MarginLabel]:
    """Moves labels up until the lowest one is inside the chart."""
    for at, end in enumerate(ends):
        yield replace(end, y=min(end.y, height - LINE * (len(ends) - 1 - at)))
