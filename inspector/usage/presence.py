"""What appeared and what vanished: of things that a capture has or has not. Pure.

Appeared is what none of the seven days before had. Vanished is what nearly all of them had and none
since: what they had less often may just not have been asked for. Both by Fisher's exact test,
one-sided.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Generic

from inspector.usage.chances import all_on_one_side, said
from inspector.usage.changes import CHANCE, WEEK, Change, Direction, History, Side, Value

LEAST_BEFORE = 30
LEAST_WITH, LEAST_WITHOUT = 5, 10
"""Captures since: with what appeared, without what vanished."""
LEAST_SHARE = 0.05
"""Of the captures since that have what appeared: what is rarer is no habit yet."""
NEARLY_ALL = 0.9


def comings_and_goings(history: History[Value], hours: range) -> list[Change[Value]]:
    """In these hours; one capture may have told several values."""
    totals = list(accumulate((slot.captures for slot in history), initial=0))
    when = [slot.hour for slot in history]
    found = []
    for value, places in _places(history).items():
        track = _Track(when, totals, value, places)
        found += [_appeared(track, at) for at in track.begins if when[at] in hours]
        ends = [at for at in track.ends if at + 1 < len(when) and when[at + 1] in hours]
        found += [_vanished(track, at) for at in ends]
    changes = [each for each in found if each is not None]
    return sorted(changes, key=lambda each: (each.hour, repr(each.what)))


def switches(history: History[Value], hours: range) -> list[Change[Value]]:
    """The same where each capture told one value: what takes the place of another is one change."""
    found = comings_and_goings(history, hours)
    gone = [each for each in found if each.direction is Direction.VANISHED]
    taken, told = set(), []
    for each in found:
        old = _replaced_by(each, gone) if each.direction is Direction.APPEARED else None
        taken.add(id(old))
        told.append(_switch(each, old) if old else each)
    return [each for each in told if id(each) not in taken]


@dataclass(frozen=True, slots=True)
class _Track(Generic[Value]):
    """One value: in which slots it is (by their place), and of how many captures."""

    when: Sequence[int]
    totals: Sequence[int]
    value: Value
    places: Mapping[int, int]

    @property
    def begins(self) -> list[int]:
        """Where it is, and was not for a week."""
        return [at for last, at in self._pairs if last is None or self._apart(last, at)]

    @property
    def ends(self) -> list[int]:
        """Where it is, and then is not for a week or until now."""
        last = list(self.places)[-1:]
        return [a for a, b in self._pairs if a is not None and self._apart(a, b)] + last

    @property
    def _pairs(self) -> list[tuple[int | None, int]]:
        return list(zip([None, *self.places], self.places, strict=False))

    def _apart(self, at: int, later: int) -> bool:
        return self.when[later] - self.when[at] > WEEK

    def told(self, first: int, end: int) -> tuple[int, int]:
        """Captures in these hours, and of how many of them the value was told."""
        start, stop = bisect_left(self.when, first), bisect_left(self.when, end)
        with_it = sum(captures for at, captures in self.places.items() if start <= at < stop)
        return self.totals[stop] - self.totals[start], with_it


def _appeared(track: _Track[Value], at: int) -> Change[Value] | None:
    hour = track.when[at]
    before, _ = track.told(hour - WEEK, hour)
    since, with_it = track.told(hour, hour + WEEK)
    if before < LEAST_BEFORE or with_it < max(LEAST_WITH, LEAST_SHARE * since):
        return None
    chance = all_on_one_side(with_it, since, before)
    if chance >= CHANCE:
        return None
    counted = f"none of {before:,} captures in the 7 days before, {with_it:,} of {since:,} since"
    sides = Side(before, 0), Side(since, with_it)
    return Change(Direction.APPEARED, track.value, hour, *sides, chance, _test(counted, chance))


def _vanished(track: _Track[Value], at: int) -> Change[Value] | None:
    last, hour = track.when[at], track.when[at + 1]
    before, with_it = track.told(hour - WEEK, hour)
    since, _ = track.told(hour, hour + WEEK)
    if before < LEAST_BEFORE or since < LEAST_WITHOUT or with_it < NEARLY_ALL * before:
        return None
    chance = all_on_one_side(with_it, before, since)
    if chance >= CHANCE:
        return None
    counted = f"{with_it:,} of {before:,} captures in the 7 days before, none of {since:,} since"
    sides = Side(before, with_it), Side(since, 0)
    test = _test(counted, chance)
    return Change(Direction.VANISHED, track.value, hour, *sides, chance, test, last)


def _test(counted: str, chance: float) -> str:
    return f"{counted}; Fisher's exact test, {said(chance)}"


def _places(history: History[Value]) -> dict[Value, dict[int, int]]:
    found: dict[Value, dict[int, int]] = {}
    for at, slot in enumerate(history):
        for value, captures in slot.counts.items():
            found.setdefault(value, {})[at] = captures
    return found


def _replaced_by(new: Change[Value], gone: Sequence[Change[Value]]) -> Change[Value] | None:
    """The old value may be told in the hour of the change itself, and no longer."""
    for each in gone:
        if each.last_hour is not None and new.hour - WEEK <= each.last_hour <= new.hour:
            return each
    return None


def _switch(new: Change[Value], old: Change[Value]) -> Change[Value]:
    test = f"{new.test}; what it replaces: {old.test}"
    return replace(new, test=test, is_switch=True, replaces=old.what)
