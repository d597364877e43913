"""Detects values that appeared or vanished. Pure.

Appeared: no capture of the seven days before had the value. Vanished: nearly all of them had it,
and none since; a value that was rarer may just not have been asked for. Both by Fisher's exact
test, one-sided.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Generic

from inspector.usage.drift.changes import (
    SIGNIFICANCE_LEVEL,
    WEEK_HOURS,
    ChangeSide,
    DriftChange,
    DriftDirection,
    DriftTest,
    History,
    Value,
)

MIN_BEFORE = 30
"""With fewer, what is new now may only not have come yet."""
MIN_WITH, MIN_WITHOUT = 5, 10
"""Captures since: with what appeared, without what vanished."""
MIN_SHARE = 0.05
"""Least share of captures with a value that appeared; a rarer one is no trend yet."""
MIN_SHARE_BEFORE = 0.9
""""Nearly all" of those before."""


def presence_changes(history: History[Value], hours: range) -> list[DriftChange[Value]]:
    """Values that appeared or vanished within ``hours``. A capture may have several values."""
    totals = list(accumulate((slot.captures for slot in history), initial=0))
    when = [slot.hour for slot in history]
    found = []
    for value, places in _places(history).items():
        track = _Track(when, totals, value, places)
        found += [_appeared(track, at) for at in track.begins if when[at] in hours]
        ends = [at for at in track.ends if at + 1 < len(when) and when[at + 1] in hours]
        found += [_vanished(track, at) for at in ends]
    changes = [each for each in found if each is not None]
    return sorted(changes, key=lambda each: (each.hour, repr(each.value)))


def replacement_changes(history: History[Value], hours: range) -> list[DriftChange[Value]]:
    """Like ``presence_changes`` for one value each: what replaces another is one change."""
    found = presence_changes(history, hours)
    gone = [each for each in found if each.direction is DriftDirection.VANISHED]
    replaced, changes = set(), []
    for each in found:
        old = _replaced_by(each, gone) if each.direction is DriftDirection.APPEARED else None
        replaced.add(id(old))
        changes.append(_replacement(each, old) if old else each)
    return [each for each in changes if id(each) not in replaced]


@dataclass(frozen=True, slots=True)
class _Track(Generic[Value]):
    """One value: the slots it occurs in (by index), and in how many captures of each."""

    when: Sequence[int]
    totals: Sequence[int]
    value: Value
    places: Mapping[int, int]

    @property
    def begins(self) -> list[int]:
        """Slots with the value after a week or more without it."""
        return [at for last, at in self._pairs if last is None or self._apart(last, at)]

    @property
    def ends(self) -> list[int]:
        """Slots with the value followed by a week without it, and the last slot that has it."""
        last = list(self.places)[-1:]
        return [a for a, b in self._pairs if a is not None and self._apart(a, b)] + last

    @property
    def _pairs(self) -> list[tuple[int | None, int]]:
        return list(zip([None, *self.places], self.places, strict=False))

    def _apart(self, at: int, later: int) -> bool:
        return self.when[later] - self.when[at] > WEEK_HOURS

    def counts_between(self, first: int, end: int) -> tuple[int, int]:
        """Return the number of captures in these hours, and of those with the value."""
        start, stop = bisect_left(self.when, first), bisect_left(self.when, end)
        with_it = sum(captures for at, captures in self.places.items() if start <= at < stop)
        return self.totals[stop] - self.totals[start], with_it


def fisher_one_sided(marked: int, here: int, there: int) -> float:
    """Fisher's exact test (1922) where one side has none: that all ``marked`` of the captures of
    both sides are among those ``here``. Returns the p-value.
    """
    return math.exp(_log_choices(here, marked) - _log_choices(here + there, marked))


def _log_choices(of: int, some: int) -> float:
    return math.lgamma(of + 1) - math.lgamma(some + 1) - math.lgamma(of - some + 1)


def _appeared(track: _Track[Value], at: int) -> DriftChange[Value] | None:
    hour = track.when[at]
    before, _ = track.counts_between(hour - WEEK_HOURS, hour)
    since, with_it = track.counts_between(hour, hour + WEEK_HOURS)
    if before < MIN_BEFORE or with_it < max(MIN_WITH, MIN_SHARE * since):
        return None
    p_value = fisher_one_sided(with_it, since, before)
    if p_value >= SIGNIFICANCE_LEVEL:
        return None
    sides = ChangeSide(before, 0), ChangeSide(since, with_it)
    test = DriftTest(p_value, *sides)
    return DriftChange(DriftDirection.APPEARED, track.value, hour, test)


def _vanished(track: _Track[Value], at: int) -> DriftChange[Value] | None:
    last, hour = track.when[at], track.when[at + 1]
    before, with_it = track.counts_between(hour - WEEK_HOURS, hour)
    since, _ = track.counts_between(hour, hour + WEEK_HOURS)
    if before < MIN_BEFORE or since < MIN_WITHOUT or with_it < MIN_SHARE_BEFORE * before:
        return None
    p_value = fisher_one_sided(with_it, before, since)
    if p_value >= SIGNIFICANCE_LEVEL:
        return None
    sides = ChangeSide(before, with_it), ChangeSide(since, 0)
    test = DriftTest(p_value, *sides)
    return DriftChange(DriftDirection.VANISHED, track.value, hour, test, last)


def _places(history: History[Value]) -> dict[Value, dict[int, int]]:
    found: dict[Value, dict[int, int]] = {}
    for at, slot in enumerate(history):
        for value, captures in slot.counts.items():
            found.setdefault(value, {})[at] = captures
    return found


def _replaced_by(
    new: DriftChange[Value], gone: Sequence[DriftChange[Value]]
) -> DriftChange[Value] | None:
    # The old value may still occur in the hour of the change, but not later.
    for each in gone:
        if each.last_hour is not None and new.hour - WEEK_HOURS <= each.last_hour <= new.hour:
            return each
    return None


def _replacement(new: DriftChange[Value], old: DriftChange[Value]) -> DriftChange[Value]:
    return replace(new, replaces_value=True, replaced_value=old.value, replaced_test=old.test)
