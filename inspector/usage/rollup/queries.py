"""The only access to sums outside this app:

``for_principal`` returns those a principal may see. Queries are bounded by the slots and series of
a period, never by the number of captures. Where each capture is a series of its own, as with
fingerprints that never repeat, the database counts the groups and only the largest are fetched,
both under a time limit.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, Window
from django.db.models import Sum as SumOf

from inspector.database.portability import time_limit
from inspector.teams.access import READ, Principal
from inspector.usage.cost.billable import Billable, decode_billable
from inspector.usage.cost.overrides import Override
from inspector.usage.cost.team_prices import overrides_of
from inspector.usage.cost.unpriced import UnpricedItem, decode_unpriced
from inspector.usage.measures import Measure, MeasureKey
from inspector.usage.models import (
    BUCKETS,
    BUCKETS_PER_OCTAVE,
    HOUR_SECONDS,
    Octave,
    Price,
    UsageSum,
)
from inspector.usage.rollup.dimensions import ALL, EXACT, columns_of
from inspector.usage.rollup.histogram import percentile
from inspector.usage.rollup.periods import Period

LIMIT_MILLISECONDS = 2_000
"""Then the page says that there are too many groups."""
# Rows for the count of captures: series times slots.
FEW_SUMS = 2_000


class MeasureSum(NamedTuple):
    """The number of captures that have a measure, and their numbers added up."""

    captures: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class MeasureSums:
    """Sums by measure and value.

    A measure that no capture has is missing, which is not the same as 0. ``histograms``: by
    measure, the number of captures in each bucket.
    """

    amounts: Mapping[MeasureKey, MeasureSum] = field(default_factory=dict)
    histograms: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def __getitem__(self, key: Measure | tuple[Measure, str]) -> MeasureSum:
        """``sums[Measure.CAPTURES]``, ``sums[Measure.TOKENS, "prompt_tokens"]``."""
        return self.amounts.get(_key(key), MeasureSum())

    def total(self, key: Measure | tuple[Measure, str]) -> int | None:
        """Return the total of a measure; None where no capture has it."""
        amount = self.amounts.get(_key(key))
        return amount.total if amount else None

    def by_value(self, measure: Measure) -> dict[str, int]:
        """Return the number of captures for each value of a measure, largest first."""
        found = {
            value: amount.captures
            for (name, value), amount in self.amounts.items()
            if name == measure
        }
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def percentile(self, name: str, share: float) -> int | None:
        """Return a percentile of a histogram; None where it is empty."""
        return percentile(self.histograms.get(name, {}), share)

    def observed(self, name: str) -> int:
        """Return the number of captures that the histogram counted: those that had a value."""
        return sum(self.histograms.get(name, {}).values())


def _key(key: Measure | tuple[Measure, str]) -> MeasureKey:
    return key if isinstance(key, tuple) else (key, "")


@dataclass(frozen=True, slots=True)
class UsageGroup:
    """One group, None for captures without a value; ``other_value``: a second service tier."""

    value: str | None
    sums: MeasureSums
    other_value: str | None = None


@dataclass(frozen=True, slots=True)
class UsageGroups:
    """The groups with most captures, largest first, and the number of ``others``."""

    listed: tuple[UsageGroup, ...] = ()
    others: int = 0
    newest: int | None = None
    """Number of captures that were counted, the newest; None where all were."""


@dataclass(frozen=True, slots=True)
class OuterGroup:
    """A group whose captures are grouped again; ``value`` is None for those without one."""

    by: str
    value: str | None


class ComputedCost(NamedTuple):
    """``computed_usd`` is exact decimal text, None where it is not known, for ``reason``: a code of
    ``CostUnknownReason``. ``unpriced_items`` are billed and not in it. ``listed_ticks`` is the
    stated cost, else the computed one.
    """

    computed_usd: str | None
    reason: str | None
    table: str
    unpriced_items: tuple[UnpricedItem, ...] = ()
    listed_ticks: int | None = None


@dataclass(frozen=True, slots=True)
class StoredPrice:
    """The stored price of one capture, and the current ``overrides`` of its team."""

    computed_usd: str | None
    reason: str | None
    table: str
    overrides: tuple[Override, ...]
    billable: Billable | None = None
    """None where another release stored it in an unknown shape."""
    unpriced_items: tuple[UnpricedItem, ...] = ()


def for_principal(principal: Principal) -> TeamSums:
    return TeamSums(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class TeamSums:
    team_ids: tuple[int, ...]

    def groups(
        self, period: Period, by: str, limit: int, of: OuterGroup | None = None
    ) -> UsageGroups:
        """Return the ``limit`` largest groups of a period, or of a group in it, by ``DIMENSIONS``.
        Raises ``StatementTimeout``.
        """
        columns = series_columns(by)
        if of:
            # Sums by the day are of one dimension each.
            period = replace(period, slot_seconds=HOUR_SECONDS)
        series_by, inside = EXACT if period.is_by_the_hour else by, in_group(of) if of else Q()
        within = self._within(period, series_by) & inside
        with time_limit(LIMIT_MILLISECONDS):
            if _are_few(within):
                every = largest_first(_sums_by(columns, within))
                return UsageGroups(every[:limit], max(0, len(every) - limit))
            largest = _largest(columns, within, limit)
            sums = _sums_by(columns, inside & self._of(largest, columns, period, series_by))
        listed = largest_first({each.values: sums[each.values] for each in largest})
        return UsageGroups(listed, max(0, (largest[0].groups if largest else 0) - len(listed)))

    def slots(self, period: Period) -> dict[datetime, MeasureSums]:
        """Return the sums of each slot that has any."""
        found = _sums_by(("start",), self._within(period, ALL))
        return {start: found[start,] for (start,) in sorted(found)}

    def has_before(self, period: Period) -> bool:
        """Tell whether there are captures of calls before a period."""
        return UsageSum.objects.filter(self._series(period, ALL), start__lt=period.start).exists()

    def every(self, period: Period) -> MeasureSums:
        """Return the sums over all captures of a period."""
        return merge_sums(_sums_by(("team",), self._within(period, ALL)).values())

    def price(self, capture_id: UUID) -> StoredPrice | None:
        """Return the price of a capture; None where none is stored, or it may not be seen."""
        row = Price.objects.filter(pk=capture_id, team__in=self.team_ids).first()
        if row is None:
            return None
        overrides = overrides_of([row.team_id])[row.team_id]
        cost, unpriced = (row.computed_usd, row.reason, row.table), row.unpriced_items
        return StoredPrice(*cost, overrides, _billable(row), decode_unpriced(unpriced))

    def costs(self, capture_ids: Collection[UUID]) -> dict[UUID, ComputedCost]:
        """Return the costs of captures that have a price and may be seen, by one statement."""
        if not capture_ids:
            return {}
        found = Price.objects.filter(pk__in=capture_ids, team__in=self.team_ids)
        rows = found.values_list("pk", *ComputedCost._fields)
        return {
            capture_id: ComputedCost(usd, reason, table, decode_unpriced(unpriced), listed)
            for capture_id, usd, reason, table, unpriced, listed in rows
        }

    def _within(self, period: Period, series_by: str) -> Q:
        return self._series(period, series_by) & Q(start__gte=period.start, start__lt=period.end)

    def _of(
        self, largest: Sequence[_LargeGroup], columns: Columns, period: Period, series_by: str
    ) -> Q:
        """Return the groups' sums; of one series the index leads to each slot, and nothing else."""
        if any(each.first_series != each.last_series for each in largest):
            return self._within(period, series_by) & _named(columns, largest)
        ids = [each.first_series for each in largest]
        return self._series(period, series_by) & Q(start__in=period.slots, series__in=ids)

    def _series(self, period: Period, series_by: str) -> Q:
        return Q(team__in=self.team_ids, by=series_by, span_seconds=period.slot_seconds)


def _billable(row: Price) -> Billable | None:
    try:
        return decode_billable(bytes(row.billable))
    except ValueError:
        return None


Columns = tuple[str, ...]
GroupValues = tuple[Any, ...]
"""The values of a group in its columns."""


def series_columns(by: str) -> Columns:
    """Return the columns of one of ``DIMENSIONS``, from whatever has a series."""
    # A key is shown by the name that people gave it.
    names = ("key__name",) if by == "key" else columns_of(by)
    return tuple(f"series__{name}" for name in names)


def in_group(of: OuterGroup) -> Q:
    """Return the condition that a series is of a group by one of ``DIMENSIONS``."""
    first, *others = series_columns(of.by)
    empty = [name for name in (first, *others) if name != first or of.value is None]
    is_named = Q() if of.value is None else Q((first, of.value))
    return is_named & Q(**{f"{name}__isnull": True for name in empty})


# Sets of fields serve drift detection only.
NOT_FIELD_SETS = ~Q(measure=Measure.FIELDS)


class _LargeGroup(NamedTuple):
    """A group: its values, its captures, of how many groups it is one, and its series."""

    values: GroupValues
    captures: int
    groups: int
    first_series: int
    last_series: int


def _are_few(within: Q) -> bool:
    # Few rows are added up here faster than the database groups them.
    captures = UsageSum.objects.filter(within, measure=Measure.CAPTURES).order_by()
    return captures[: FEW_SUMS + 1].count() <= FEW_SUMS


def _largest(columns: Columns, within: Q, limit: int) -> list[_LargeGroup]:
    # The database finds and counts the largest groups; only these are fetched.
    counted = UsageSum.objects.filter(within, measure=Measure.CAPTURES).order_by()
    groups = counted.values_list(*map(F, columns)).annotate(
        n=SumOf("captures"), groups=Window(Count("*")), first=Min("series"), last=Max("series")
    )
    names = (F(column).asc(nulls_first=True) for column in columns)
    rows = groups.order_by("-n", *names)[:limit]
    size = len(columns)
    return [_LargeGroup(tuple(row[:size]), *row[size:]) for row in rows]


def _named(columns: Columns, largest: Sequence[_LargeGroup]) -> Q:
    """Return a condition that all of these groups meet; with several columns others may, too."""
    found = Q()
    for at, column in enumerate(columns):
        values = {each.values[at] for each in largest}
        is_named = Q(**{f"{column}__in": values - {None}})
        found &= is_named | Q(**{f"{column}__isnull": True}) if None in values else is_named
    return found


def largest_first(sums: Mapping[GroupValues, MeasureSums]) -> tuple[UsageGroup, ...]:
    """Return the groups, those with most captures first."""

    def order(group: UsageGroup) -> tuple[int, str, str]:
        captures = group.sums[Measure.CAPTURES].captures
        return -captures, group.value or "", group.other_value or ""

    groups = (UsageGroup(values[0], found, *values[1:]) for values, found in sums.items())
    return tuple(sorted(groups, key=order))


def _sums_by(columns: Columns, within: Q) -> dict[GroupValues, MeasureSums]:
    amounts: dict[GroupValues, dict[MeasureKey, MeasureSum]] = defaultdict(dict)
    for values, key, amount in _amounts(columns, within & NOT_FIELD_SETS):
        amounts[values][key] = amount
    histograms: dict[GroupValues, dict[str, dict[int, int]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for values, measure, buckets in _buckets(columns, within):
        histograms[values][measure].update(buckets)
    groups = dict.fromkeys([*amounts, *histograms])
    return {
        values: MeasureSums(amounts.get(values, {}), histograms.get(values, {}))
        for values in groups
    }


def _amounts(columns: Columns, within: Q) -> Iterator[tuple[GroupValues, MeasureKey, MeasureSum]]:
    names = (*columns, "measure", "value")
    sums = UsageSum.objects.filter(within).order_by().values_list(*map(F, names))
    for row in sums.annotate(SumOf("captures"), SumOf("total")):
        *values, measure, value, captures, total = row
        yield tuple(values), (measure, value), MeasureSum(int(captures), int(total))


def _buckets(columns: Columns, within: Q) -> Iterator[tuple[GroupValues, str, dict[int, int]]]:
    names, size = (*columns, "measure", "octave"), len(columns)
    octaves = Octave.objects.filter(within).order_by().values_list(*map(F, names))
    for row in octaves.annotate(*map(SumOf, BUCKETS)):
        measure, octave, *buckets = row[size:]
        numbered = enumerate(buckets, octave * BUCKETS_PER_OCTAVE)
        found = {bucket: int(captures) for bucket, captures in numbered if captures}
        yield tuple(row[:size]), measure, found


def merge_sums(every: Iterable[MeasureSums]) -> MeasureSums:
    """Add up sums, as if all their captures had been counted together."""
    captures: Counter[MeasureKey] = Counter()
    totals: dict[MeasureKey, int] = {}
    histograms: dict[str, Counter[int]] = defaultdict(Counter)
    for sums in every:
        for key, (number, total) in sums.amounts.items():
            captures[key] += number
            totals[key] = totals.get(key, 0) + total
        for name, buckets in sums.histograms.items():
            histograms[name].update(buckets)
    return MeasureSums(
        {key: MeasureSum(captures[key], total) for key, total in totals.items()}, histograms
    )
