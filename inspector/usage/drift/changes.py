"""Values of drift detection: counts by the hour, and changes found between them."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

DAY_HOURS, WEEK_HOURS = 24, 7 * 24
# One in a thousand, divided by the comparisons that one scan of thirty models may make
# (Bonferroni).
SIGNIFICANCE_LEVEL = 0.001 / 10_000

Value = TypeVar("Value", bound=Hashable)


class DriftDirection(StrEnum):
    APPEARED = "appeared"
    VANISHED = "vanished"


@dataclass(frozen=True, slots=True)
class HourSlot(Generic[Value]):
    """One hour (counted from 1970): its captures, and the number of them that had each value."""

    hour: int
    captures: int
    counts: Mapping[Value, int]


History = Sequence[HourSlot[Value]]
"""Hours in order of time; hours without captures are left out."""


class ChangeSide(NamedTuple):
    """``value`` is of how many of the captures something holds."""

    captures: int
    value: int


@dataclass(frozen=True, slots=True)
class DriftTest:
    """Fisher's exact test, one-sided, of the captures since against those of seven days before."""

    p_value: float
    before: ChangeSide
    since: ChangeSide


@dataclass(frozen=True, slots=True)
class DriftChange(Generic[Value]):
    """``value`` is new or gone: None for a value that is not sent.

    ``hour`` is the first of the new state; ``last_hour`` the last that had what vanished. Where a
    value ``replaces_value``, ``replaced_value`` is what nearly all had before and none has since,
    as ``replaced_test`` shows.
    """

    direction: DriftDirection
    value: Value | None
    hour: int
    test: DriftTest
    last_hour: int | None = None
    replaces_value: bool = False
    replaced_value: Value | None = None
    replaced_test: DriftTest | None = None
