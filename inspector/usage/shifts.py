"""What became more common, and what became slower or faster. Pure.

A day since is held against the same hours of the seven days before, because load has its times of
the day. Large numbers make every difference certain, so it has a least size, too; and it must be
seen in most stretches of ten captures since, because the captures of one batch are alike.

- The mix of finish reasons: G-test of the table of reasons before and since.
- Times: Mann-Whitney's rank test over the buckets of histograms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import add, sub
from typing import Any, NamedTuple

from inspector.usage.chances import g_test, rank_test, said
from inspector.usage.changes import CHANCE, DAY, WEEK, Change, Direction, History, Side
from inspector.usage.histogram import bounds_of

LEAST_BEFORE, LEAST_SINCE = 100, 60
"""Captures."""
LEAST_SHIFT = 0.1
"""Of the share of a finish reason."""
LEAST_FACTOR = 1.2
"""Between two medians: more than one bucket."""
STRETCH_CAPTURES = 10
LEAST_STRETCHES_BEFORE, LEAST_STRETCHES_SINCE = 10, 6
FURTHER_THAN, MOST_STRETCHES = 0.9, 0.75
"""Of the stretches since, three in four lie beyond nine in ten of those before."""

NEAR = WEEK
"""Hours in which a shift is told once, where it is strongest: so far one side may reach over it."""

Row = list[int]
"""Captures by column: a finish reason, or a bucket of a histogram."""


class _Window(NamedTuple):
    """The hours since, from ``first`` up to ``end``, and both sides added up."""

    first: int
    end: int
    is_matched: bool
    """Held against the same hours of the days before, not against all of them."""
    before: Row
    since: Row


class _Shift(NamedTuple):
    change: Change[Any]
    window: _Window
    strength: float
    value_of: Callable[[Row], float]
    """Of a stretch: the larger, the further it went."""


def mix(history: History[str], hours: range) -> list[Change[str]]:
    """Which finish reason became more common; a capture with several choices told each once."""
    table = _Table(history)
    return _strongest(table, _found(_mixed, table, hours), hours)


def times(history: History[int], hours: range) -> list[Change[int]]:
    """Slower and faster."""
    table = _Table(history)
    found = _found(_timed, table, hours)
    every = []
    for direction in (Direction.SLOWER, Direction.FASTER):
        alike = [each for each in found if each.change.direction is direction]
        every += _strongest(table, alike, hours)
    return sorted(every, key=lambda each: each.hour)


class _Table:
    """Captures by hour and column, added up so that any stretch of them is one subtraction."""

    def __init__(self, history: History[Any]) -> None:
        self.columns = sorted({value for slot in history for value in slot.counts})
        self.first = history[0].hour if history else 0
        self._nothing = [0] * len(self.columns)
        self.rows = list(self._dense(history))
        self._up_to = self._added_up(self.rows)
        self._days_up_to = self._added_up(self._days_before())

    def windows(self, hours: range) -> Iterator[_Window]:
        for hour in range(max(hours.start, self.first), min(hours.stop, self._end)):
            window = self._window(hour) if any(self.rows[hour - self.first]) else None
            if window is not None:
                yield window

    def before(self, window: _Window) -> list[Row]:
        """Hour by hour."""
        first = max(window.first - WEEK, self.first)
        times = {hour % DAY for hour in range(window.first, window.end)}
        hours = (hour for hour in range(first, window.first))
        return [self.rows[hour - self.first] for hour in hours if hour % DAY in times]

    def since(self, window: _Window) -> list[Row]:
        return self.rows[window.first - self.first : window.end - self.first]

    @property
    def _end(self) -> int:
        return self.first + len(self.rows)

    def _dense(self, history: History[Any]) -> Iterator[Row]:
        by_hour = {slot.hour: slot.counts for slot in history}
        for hour in range(self.first, history[-1].hour + 1 if history else 0):
            counts = by_hour.get(hour)
            yield [counts.get(v, 0) for v in self.columns] if counts else self._nothing

    def _days_before(self) -> list[Row]:
        """For each hour: what the same hour of the seven days before told together."""
        found: list[Row] = []
        for at in range(len(self.rows)):
            row = self._nothing
            if at >= DAY:
                row = _sum(found[at - DAY], self.rows[at - DAY])
            if at >= WEEK + DAY:
                row = _difference(row, self.rows[at - WEEK - DAY])
            found.append(row)
        return found

    def _added_up(self, rows: Sequence[Row]) -> list[Row]:
        return list(accumulate(rows, _sum, initial=self._nothing))

    def _window(self, hour: int) -> _Window | None:
        """A day, or a week where a day has too few."""
        end = min(hour + DAY, self._end)
        since, is_matched = self._between(self._up_to, hour, end), True
        if sum(since) >= LEAST_SINCE:
            before = self._between(self._days_up_to, hour, end)
        else:
            end, is_matched = min(hour + WEEK, self._end), False
            since = self._between(self._up_to, hour, end)
            before = self._between(self._up_to, hour - WEEK, hour)
        if sum(since) < LEAST_SINCE or sum(before) < LEAST_BEFORE:
            return None
        return _Window(hour, end, is_matched, before, since)

    def _between(self, sums: Sequence[Row], first: int, end: int) -> Row:
        return _difference(sums[end - self.first], sums[max(first - self.first, 0)])


def _sum(a: Row, b: Row) -> Row:
    return list(map(add, a, b))


def _difference(a: Row, b: Row) -> Row:
    return list(map(sub, a, b))


def _found(
    test: Callable[[_Table, _Window], _Shift | None], table: _Table, hours: range
) -> list[_Shift]:
    around = range(hours.start - NEAR, hours.stop + NEAR)
    every = (test(table, window) for window in table.windows(around))
    return [each for each in every if each is not None]


# -- the two tests --------------------------------------------------------------------------------


def _mixed(table: _Table, window: _Window) -> _Shift | None:
    before, since = sum(window.before), sum(window.since)
    shares = [b / since - a / before for a, b in zip(window.before, window.since, strict=True)]
    at = max(range(len(shares)), key=shares.__getitem__)
    if shares[at] < LEAST_SHIFT:
        return None
    g, freedom, chance = g_test(window.before, window.since)
    if chance >= CHANCE:
        return None
    sides = Side(before, window.before[at]), Side(since, window.since[at])
    counted = f"{_counted(sides[0])} before, {_counted(sides[1])} since"
    degrees = f"{freedom} degree{'' if freedom == 1 else 's'} of freedom"
    tested = f"G = {g:.1f} with {degrees}, {said(chance)}"
    test = _test(counted, tested, window)
    change = Change(Direction.ROSE, table.columns[at], window.first, *sides, chance, test)
    return _Shift(change, window, g, lambda row: row[at] / sum(row))


def _timed(table: _Table, window: _Window) -> _Shift | None:
    medians = _median(table.columns, window.before), _median(table.columns, window.since)
    low, high = sorted(medians)
    if high < LEAST_FACTOR * max(low, 1):
        return None
    z, chance = rank_test(window.before, window.since)
    is_slower = medians[1] > medians[0]
    if chance >= CHANCE or (z > 0) is not is_slower:
        return None
    sides = Side(sum(window.before), medians[0]), Side(sum(window.since), medians[1])
    counted = f"{sides[0].captures:,} captures before, {sides[1].captures:,} since"
    test = _test(counted, f"Mann-Whitney z = {z:.1f}, {said(chance)}", window)
    direction = Direction.SLOWER if is_slower else Direction.FASTER
    change: Change[Any] = Change(direction, None, window.first, *sides, chance, test)
    sign = 1 if is_slower else -1
    return _Shift(change, window, abs(z), lambda row: sign * _median(table.columns, row))


def _test(counted: str, tested: str, window: _Window) -> str:
    which = "the same hours of the 7 days before" if window.is_matched else "the 7 days before"
    return f"{counted}, against {which}; {tested}"


def _counted(side: Side) -> str:
    return f"{side.value:,} of {side.captures:,}"


def _median(buckets: Sequence[int], row: Row) -> int:
    """The middle of the bucket that the nearest rank lies in."""
    rank = -(-sum(row) // 2)
    for bucket, captures in zip(buckets, row, strict=True):
        rank -= captures
        if rank <= 0:
            least, following = bounds_of(bucket)
            return (least + following - 1) // 2
    raise ValueError("a row of no captures has no median")


# -- whether it stays -----------------------------------------------------------------------------


def _strongest(table: _Table, found: Iterable[_Shift], hours: range) -> list[Change[Any]]:
    """Those that began in these hours: a shift is told of near hours, too, and less and less."""
    taken: list[Change[Any]] = []
    for shift in sorted(found, key=lambda each: (-each.strength, each.window.first)):
        change = shift.change
        is_near = any(abs(change.hour - each.hour) <= NEAR for each in taken)
        words = "" if is_near else _steady(table, shift)
        if words:
            taken.append(replace(change, test=f"{change.test}; {words}"))
    return [change for change in taken if change.hour in hours]


def _steady(table: _Table, shift: _Shift) -> str:
    """Empty where it is not."""
    before = sorted(shift.value_of(row) for row in _stretches(table.before(shift.window)))
    since = [shift.value_of(row) for row in _stretches(table.since(shift.window))]
    if len(before) < LEAST_STRETCHES_BEFORE or len(since) < LEAST_STRETCHES_SINCE:
        return ""
    limit = before[int(FURTHER_THAN * len(before))]
    beyond = sum(value > limit for value in since)
    # An hour from which on it is not seen at once is not the one that it began in.
    if since[0] <= limit or beyond < MOST_STRETCHES * len(since):
        return ""
    of = f"stretches of at least {STRETCH_CAPTURES} captures since"
    return f"{beyond:,} of {len(since):,} {of} lie beyond nine in ten of those before"


def _stretches(rows: Iterable[Row]) -> Iterator[Row]:
    """Hours in their order, until together they have enough captures."""
    gathered: Row | None = None
    for row in rows:
        gathered = _sum(gathered, row) if gathered else row
        if sum(gathered) >= STRETCH_CAPTURES:
            yield gathered
            gathered = None
