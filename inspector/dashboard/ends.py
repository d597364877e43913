"""What stands in the right margin of a drawing, each beside the place that it names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

LINE = 14
"""Pixels from one line of text to the next."""
FIRST = 4
"""The highest line: its letters reach no further than the drawing."""


@dataclass(frozen=True, slots=True)
class End:
    """``y`` is the foot of its letters; ``tone`` the class that draws it."""

    y: float
    text: str
    tone: str = ""

    @property
    def at(self) -> str:
        return f"{self.y:.1f}"


def spread(ends: Iterable[End], height: int) -> tuple[End, ...]:
    """From the top, in the order of what they name, and none over another."""
    lines = sorted((replace(end, y=end.y + FIRST) for end in ends), key=lambda each: each.y)
    return tuple(_risen([*_sunk(lines)], height + FIRST))


def _sunk(ends: Iterable[End]) -> Iterator[End]:
    least = float(FIRST)
    for end in ends:
        yield (placed := replace(end, y=max(end.y, least)))
        least = placed.y + LINE


def _risen(ends: list[End], height: int) -> Iterator[End]:
    """Not below the drawing."""
    for at, end in enumerate(ends):
        yield replace(end, y=min(end.y, height - LINE * (len(ends) - 1 - at)))
