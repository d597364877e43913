"""Values of drift detection: counts by the hour, and changes found between them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

DAY_HOURS, WEEK_HOURS = 24, 7 * 24
"""Hours."""
# One in a thousand, divided by the comparisons that one scan of thirty models may make
# (Bonferroni).
SIGNIFICANCE_LEVEL = 0.001 / 10_000

Value = TypeVar("Value", bound=Hashable)


class DriftDirection(StrEnum):
    APPEARED = "appeared"
    VANISHED = "vanished"
    ROSE = "rose"
    SLOWER = "slower"
    FASTER = "faster"


@dataclass(frozen=True, slots=True)
class HourSlot(Generic[Value]):
    """One hour (counted from 1970): its captures, and the number of them that had each value."""

    hour: int
    captures: int
    counts: Mapping[Value, int]


History = Sequence[HourSlot[Value]]
"""Hours in order of time; hours without captures are left out."""


class ChangeSide(NamedTuple):
    """``value`` is of how many of the captures something holds, or their median in microseconds."""

    captures: int
    value: int


@dataclass(frozen=True, slots=True)
class DriftChange(Generic[Value]):
    """``what`` is new, gone or more common: None for times, and for a value that is not sent.

    ``hour`` is the first of the new state; ``last_hour`` the last that had what vanished. Of a
    switch, ``replaces`` is what nearly all had before and none has since.
    """

    direction: DriftDirection
    what: Value | None
    hour: int
    before: ChangeSide
    since: ChangeSide
    chance: float
    test: str
    last_hour: int | None = None
    replaces_value: bool = False
    replaces: Value | None = None
