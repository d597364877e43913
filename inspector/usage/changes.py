"""What drift is told of and told in: sums by the hour, and changes between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

DAY, WEEK = 24, 7 * 24
"""In hours."""
CHANCE = 0.001 / 10_000
"""What had to be less likely than this, had nothing changed: one in a thousand, divided by the
comparisons that one look at thirty models may make."""

Value = TypeVar("Value", bound=Hashable)


class Direction(StrEnum):
    APPEARED = "appeared"
    VANISHED = "vanished"
    ROSE = "rose"
    SLOWER = "slower"
    FASTER = "faster"


@dataclass(frozen=True, slots=True)
class Slot(Generic[Value]):
    """One hour, counted from 1970: of how many of its captures each value was told."""

    hour: int
    captures: int
    counts: Mapping[Value, int]


History = Sequence[Slot[Value]]
"""In order of time; hours of which nothing is known are left out."""


class Side(NamedTuple):
    """``value`` is of how many of the captures something holds, or their median in microseconds."""

    captures: int
    value: int


@dataclass(frozen=True, slots=True)
class Change(Generic[Value]):
    """``what`` is new, gone or more common: None for times, and for a value that is not sent.

    ``hour`` is the first of the new state; ``last_hour`` the last that had what vanished. Of a
    switch, ``replaces`` is what nearly all had before and none has since.
    """

    direction: Direction
    what: Value | None
    hour: int
    before: Side
    since: Side
    chance: float
    test: str
    last_hour: int | None = None
    is_switch: bool = False
    replaces: Value | None = None
