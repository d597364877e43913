"""Detects changed shares of finish reasons and changed latencies. Pure.

The 24 hours after a change are compared with the same hours of the seven days before, because load
varies over the day. In large samples every difference is significant, so a least size is required,
too; and the captures of one batch resemble each other, so the change must show in most stretches of
ten captures.

- Finish reasons: G-test of the table of reasons before and since.
- Latencies: Mann-Whitney's rank test over the buckets of histograms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from operator import add, sub
from typing import Any, NamedTuple

from inspector.usage.drift.changes import (
    DAY_HOURS,
    SIGNIFICANCE_LEVEL,
    WEEK_HOURS,
    Baseline,
    ChangeSide,
    DriftChange,
    DriftDirection,
    DriftTest,
    DriftTestName,
    History,
    Persistence,
)
from inspector.usage.drift.significance import g_test, mann_whitney
from inspector.usage.rollup.histogram import bounds_of

MIN_BEFORE, MIN_SINCE = 100, 60
"""Captures."""
MIN_SHIFT = 0.1
"""Least change in the share of a finish reason."""
MIN_FACTOR = 1.2
"""Between two medians: more than one bucket."""
STRETCH_CAPTURES = 10
MIN_STRETCHES_BEFORE, MIN_STRETCHES_SINCE = 10, 6
# Three in four stretches after the change must lie beyond nine in ten of those before.
BEYOND_SHARE, MIN_SHARE_BEYOND = 0.9, 0.75

# One shift shows in all comparisons that reach over it: within these hours only the strongest is
# reported.
SAME_SHIFT_HOURS = WEEK_HOURS

ColumnCounts = list[int]
"""Captures by column: a finish reason, or a bucket of a histogram."""


class _Window(NamedTuple):
    """The hours since, from ``first`` up to ``end``, and both sides added up."""

    first: int
    end: int
    baseline: Baseline
    before: ColumnCounts
    since: ColumnCounts


class _Shift(NamedTuple):
    change: DriftChange[Any]
    window: _Window
    strength: float
    value_of: Callable[[ColumnCounts], float]
    """Measures how far a stretch went; greater is further."""


def category_shifts(history: History[str], hours: range) -> list[DriftChange[str]]:
    """Finish reasons that became more common. A capture with several choices counts each of its
    reasons once.
    """
    table = _Table(history)
    return _strongest(table, _test_windows(_test_categories, table, hours), hours)


def latency_shifts(history: History[int], hours: range) -> list[DriftChange[int]]:
    """Hours at which latencies became slower or faster, in order of time: of shifts within
    ``SAME_SHIFT_HOURS`` the strongest of each direction, if it lasts.
    """
    table = _Table(history)
    found = _test_windows(_test_latencies, table, hours)
    every = []
    for direction in (DriftDirection.SLOWER, DriftDirection.FASTER):
        shifts = [shift for shift in found if shift.change.direction is direction]
        every += _strongest(table, shifts, hours)
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

    def before(self, window: _Window) -> list[ColumnCounts]:
        """The counts of each hour in the week before the window at the window's own hours of the
        day: load has a daily course, and morning is compared with mornings.
        """
        first = max(window.first - WEEK_HOURS, self.first)
        times = {hour % DAY_HOURS for hour in range(window.first, window.end)}
        hours = (hour for hour in range(first, window.first))
        return [self.rows[hour - self.first] for hour in hours if hour % DAY_HOURS in times]

    def since(self, window: _Window) -> list[ColumnCounts]:
        return self.rows[window.first - self.first : window.end - self.first]

    @property
    def _end(self) -> int:
        return self.first + len(self.rows)

    def _dense(self, history: History[Any]) -> Iterator[ColumnCounts]:
        by_hour = {slot.hour: slot.counts for slot in history}
        for hour in range(self.first, history[-1].hour + 1 if history else 0):
            counts = by_hour.get(hour)
            yield [counts.get(v, 0) for v in self.columns] if counts else self._nothing

    def _days_before(self) -> list[ColumnCounts]:
        """For each hour, the counts of the same hour in the seven days before, added up."""
        found: list[ColumnCounts] = []
        for at in range(len(self.rows)):
            row = self._nothing
            if at >= DAY_HOURS:
                row = _sum(found[at - DAY_HOURS], self.rows[at - DAY_HOURS])
            if at >= WEEK_HOURS + DAY_HOURS:
                row = _difference(row, self.rows[at - WEEK_HOURS - DAY_HOURS])
            found.append(row)
        return found

    def _added_up(self, rows: Sequence[ColumnCounts]) -> list[ColumnCounts]:
        return list(accumulate(rows, _sum, initial=self._nothing))

    def _window(self, hour: int) -> _Window | None:
        """A day, or a week where a day has too few."""
        end = min(hour + DAY_HOURS, self._end)
        since, baseline = self._between(self._up_to, hour, end), Baseline.SAME_HOURS
        if sum(since) >= MIN_SINCE:
            before = self._between(self._days_up_to, hour, end)
        else:
            end, baseline = min(hour + WEEK_HOURS, self._end), Baseline.WEEK
            since = self._between(self._up_to, hour, end)
            before = self._between(self._up_to, hour - WEEK_HOURS, hour)
        if sum(since) < MIN_SINCE or sum(before) < MIN_BEFORE:
            return None
        return _Window(hour, end, baseline, before, since)

    def _between(self, sums: Sequence[ColumnCounts], first: int, end: int) -> ColumnCounts:
        return _difference(sums[end - self.first], sums[max(first - self.first, 0)])


def _sum(a: ColumnCounts, b: ColumnCounts) -> ColumnCounts:
    return list(map(add, a, b))


def _difference(a: ColumnCounts, b: ColumnCounts) -> ColumnCounts:
    return list(map(sub, a, b))


def _test_windows(
    test: Callable[[_Table, _Window], _Shift | None], table: _Table, hours: range
) -> list[_Shift]:
    around = range(hours.start - SAME_SHIFT_HOURS, hours.stop + SAME_SHIFT_HOURS)
    every = (test(table, window) for window in table.windows(around))
    return [each for each in every if each is not None]


# -- the two tests --------------------------------------------------------------------------------


def _test_categories(table: _Table, window: _Window) -> _Shift | None:
    before, since = sum(window.before), sum(window.since)
    shares = [b / since - a / before for a, b in zip(window.before, window.since, strict=True)]
    at = max(range(len(shares)), key=shares.__getitem__)
    if shares[at] < MIN_SHIFT:
        return None
    g, freedom, p_value = g_test(window.before, window.since)
    if p_value >= SIGNIFICANCE_LEVEL:
        return None
    sides = ChangeSide(before, window.before[at]), ChangeSide(since, window.since[at])
    test = DriftTest(DriftTestName.G_TEST, p_value, *sides, window.baseline, g, freedom)
    change = DriftChange(DriftDirection.ROSE, table.columns[at], window.first, test)
    return _Shift(change, window, g, lambda row: row[at] / sum(row))


def _test_latencies(table: _Table, window: _Window) -> _Shift | None:
    medians = _median(table.columns, window.before), _median(table.columns, window.since)
    low, high = sorted(medians)
    if high < MIN_FACTOR * max(low, 1):
        return None
    z, p_value = mann_whitney(window.before, window.since)
    is_slower = medians[1] > medians[0]
    if p_value >= SIGNIFICANCE_LEVEL or (z > 0) is not is_slower:
        return None
    sides = ChangeSide(sum(window.before), medians[0]), ChangeSide(sum(window.since), medians[1])
    test = DriftTest(DriftTestName.MANN_WHITNEY, p_value, *sides, window.baseline, z)
    direction = DriftDirection.SLOWER if is_slower else DriftDirection.FASTER
    change: DriftChange[Any] = DriftChange(direction, None, window.first, test)
    sign = 1 if is_slower else -1
    return _Shift(change, window, abs(z), lambda row: sign * _median(table.columns, row))


def _median(buckets: Sequence[int], row: ColumnCounts) -> int:
    """The middle of the bucket that the nearest rank lies in."""
    rank = -(-sum(row) // 2)
    for bucket, captures in zip(buckets, row, strict=True):
        rank -= captures
        if rank <= 0:
            least, following = bounds_of(bucket)
            return (least + following - 1) // 2
    raise ValueError("a row of no captures has no median")


# -- whether it stays -----------------------------------------------------------------------------


def _strongest(table: _Table, found: Iterable[_Shift], hours: range) -> list[DriftChange[Any]]:
    # Neighbouring hours find the same shift, less and less strongly: only the strongest is kept.
    taken: list[DriftChange[Any]] = []
    for shift in sorted(found, key=lambda each: (-each.strength, each.window.first)):
        change = shift.change
        is_near = any(abs(change.hour - each.hour) <= SAME_SHIFT_HOURS for each in taken)
        persistence = None if is_near else _persistence(table, shift)
        if persistence is not None:
            taken.append(replace(change, test=replace(change.test, persistence=persistence)))
    return [change for change in taken if change.hour in hours]


def _persistence(table: _Table, shift: _Shift) -> Persistence | None:
    """Returns None if the shift does not last."""
    before = sorted(shift.value_of(row) for row in _stretches(table.before(shift.window)))
    since = [shift.value_of(row) for row in _stretches(table.since(shift.window))]
    if len(before) < MIN_STRETCHES_BEFORE or len(since) < MIN_STRETCHES_SINCE:
        return None
    limit = before[int(BEYOND_SHARE * len(before))]
    beyond = sum(value > limit for value in since)
    # A shift shows at once from the hour that it began in.
    if since[0] <= limit or beyond < MIN_SHARE_BEYOND * len(since):
        return None
    return Persistence(len(since), beyond)


def _stretches(rows: Iterable[ColumnCounts]) -> Iterator[ColumnCounts]:
    """Hours in their order, until together they have enough captures."""
    gathered: ColumnCounts | None = None
    for row in rows:
        gathered = _sum(gathered, row) if gathered else row
        if sum(gathered) >= STRETCH_CAPTURES:
            yield gathered
            gathered = None
