"""The one door to sums: whoever reads them comes through ``for_principal``.

What is asked of the database is bounded by the hours or days and the series of a period, never by
the number of captures. Where each of these is a series of its own, as by a fingerprint that no two
answers share, the groups are counted there, those with most captures fetched, and both have to end
in time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import Count, F, Max, Min, Q, Window
from django.db.models import Sum as SumOf

from inspector.archive.database import time_limit
from inspector.teams.access import READ, Principal
from inspector.usage.alike import ALL, EXACT
from inspector.usage.bills import Bill, unpacked
from inspector.usage.histogram import TO_A_DOUBLING, percentile
from inspector.usage.marked import Marked, marked
from inspector.usage.measures import Measure, MeasureKey
from inspector.usage.missing import Missing
from inspector.usage.missing import unpacked as missing_of
from inspector.usage.models import BUCKETS, Octave, Price, Sum
from inspector.usage.overrides import Override
from inspector.usage.periods import Period
from inspector.usage.team_prices import overrides_of

LIMIT_MILLISECONDS = 2_000
FEW_SUMS = 2_000
"""Of captures: series times slots."""


class Amount(NamedTuple):
    """``captures`` that told a measure, and what they told, added up."""

    captures: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Sums:
    """By measure and value. What no capture told is not there: that is not the same as 0.

    ``histograms``: by measure, how many captures each bucket holds.
    """

    amounts: Mapping[MeasureKey, Amount] = field(default_factory=dict)
    histograms: Mapping[str, Mapping[int, int]] = field(default_factory=dict)

    def __getitem__(self, key: Measure | tuple[Measure, str]) -> Amount:
        """``sums[Measure.CAPTURES]``, ``sums[Measure.TOKENS, "prompt_tokens"]``."""
        return self.amounts.get(_key(key), Amount())

    def total(self, key: Measure | tuple[Measure, str]) -> int | None:
        """None where it was never told."""
        amount = self.amounts.get(_key(key))
        return amount.total if amount else None

    def by_value(self, measure: Measure) -> dict[str, int]:
        """Captures of each value of a measure; most first."""
        found = {
            value: amount.captures
            for (name, value), amount in self.amounts.items()
            if name == measure
        }
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def percentile(self, name: str, share: float) -> int | None:
        """Of a histogram; None where it counted nothing."""
        return percentile(self.histograms.get(name, {}), share)

    def observed(self, name: str) -> int:
        """Captures that a histogram counted."""
        return sum(self.histograms.get(name, {}).values())


def _key(key: Measure | tuple[Measure, str]) -> MeasureKey:
    return key if isinstance(key, tuple) else (key, "")


@dataclass(frozen=True, slots=True)
class Group:
    """``value`` None: the captures that have none."""

    value: str | None
    sums: Sums


@dataclass(frozen=True, slots=True)
class Groups:
    """Those with most captures, most first, and how many ``others`` there are."""

    listed: tuple[Group, ...] = ()
    others: int = 0


class ComputedCost(NamedTuple):
    """``computed_usd`` is exact decimal text, None where it is not known, for ``reason``: a code of
    ``unknown.Reason``. ``missing`` is what is billed and not in it.
    """

    computed_usd: str | None
    reason: str | None
    table: str
    missing: tuple[Missing, ...] = ()


@dataclass(frozen=True, slots=True)
class StoredPrice:
    """By which a capture is in the sums; ``overrides`` are those that its team has now."""

    computed_usd: str | None
    reason: str | None
    table: str
    overrides: tuple[Override, ...]
    bill: Bill | None = None
    """None where another release wrote it in a shape that is not known here."""
    missing: tuple[Missing, ...] = ()


def for_principal(principal: Principal) -> TeamSums:
    return TeamSums(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class TeamSums:
    team_ids: tuple[int, ...]

    def groups(self, period: Period, by: str, most: int) -> Groups:
        """``most`` of them at most. Raises ``TookTooLong``."""
        # A key is shown by the name that people gave it.
        column = "series__key__name" if by == "key" else f"series__{by}"
        kind = EXACT if period.is_by_the_hour else by
        within = self._within(period, kind)
        with time_limit(LIMIT_MILLISECONDS):
            if _are_few(within):
                every = _most_first(_sums_by(column, within))
                return Groups(every[:most], max(0, len(every) - most))
            largest = _largest(column, within, most)
            sums = _sums_by(column, self._of(largest, column, period, kind))
        listed = _most_first(sums)
        return Groups(listed, max(0, _number(largest) - len(listed)))

    def slots(self, period: Period) -> dict[datetime, Sums]:
        """Those that have any."""
        found = _sums_by("start", self._within(period, ALL))
        return {start: found[start] for start in sorted(found)}

    def every(self, period: Period) -> Sums:
        """Of all captures of a period."""
        return added(_sums_by("team", self._within(period, ALL)).values())

    def marks(self, period: Period, most: int) -> tuple[Marked, ...]:
        """Of changes that began in the period; newest first."""
        return marked(self.team_ids, period, most)

    def price(self, capture_id: UUID) -> StoredPrice | None:
        """None where none is stored, and for whoever may not see the capture."""
        row = Price.objects.filter(pk=capture_id, team__in=self.team_ids).first()
        if row is None:
            return None
        overrides = overrides_of([row.team_id])[row.team_id]
        cost = row.computed_usd, row.reason, row.table
        return StoredPrice(*cost, overrides, _bill(row), missing_of(row.missing))

    def costs(self, capture_ids: Collection[UUID]) -> dict[UUID, ComputedCost]:
        """Of those that have a price and that may be seen; one statement for all."""
        if not capture_ids:
            return {}
        found = Price.objects.filter(pk__in=capture_ids, team__in=self.team_ids)
        rows = found.values_list("pk", *ComputedCost._fields)
        return {
            id: ComputedCost(usd, reason, table, missing_of(missing))
            for id, usd, reason, table, missing in rows
        }

    def _within(self, period: Period, kind: str) -> Q:
        return self._kept(period, kind) & Q(start__gte=period.start, start__lt=period.end)

    def _of(self, largest: Sequence[_Large], column: str, period: Period, kind: str) -> Q:
        """The sums of these groups. Where each is one series the index leads to every slot of it,
        and nothing is read of the others.
        """
        if any(each.first_series != each.last_series for each in largest):
            return self._within(period, kind) & _named(column, largest)
        ids = [each.first_series for each in largest]
        return self._kept(period, kind) & Q(start__in=period.slots, series__in=ids)

    def _kept(self, period: Period, kind: str) -> Q:
        return Q(team__in=self.team_ids, by=kind, span_seconds=period.slot_seconds)


def _bill(row: Price) -> Bill | None:
    try:
        return unpacked(bytes(row.bill))
    except (ValueError, LookupError, TypeError):
        return None


NO_KEYS = ~Q(measure=Measure.KEYS)
"""These are for the watch, and told to nobody as they are."""


class _Large(NamedTuple):
    """A group: its value, its captures, of how many groups it is one, and its series."""

    value: Any
    captures: int
    groups: int
    first_series: int
    last_series: int


def _are_few(within: Q) -> bool:
    """Whether they are sooner added up than told apart first."""
    captures = Sum.objects.filter(within, measure=Measure.CAPTURES).order_by()
    return captures[: FEW_SUMS + 1].count() <= FEW_SUMS


def _largest(column: str, within: Q, most: int) -> list[_Large]:
    """Groups with most captures, told apart and counted by the database."""
    counted = Sum.objects.filter(within, measure=Measure.CAPTURES).order_by().values_list(F(column))
    groups = counted.annotate(
        n=SumOf("captures"),
        groups=Window(Count("*")),
        first=Min("series"),
        last=Max("series"),
    )
    rows = groups.order_by("-n", F(column).asc(nulls_first=True))[:most]
    return [_Large(*row) for row in rows]


def _number(largest: Sequence[_Large]) -> int:
    return largest[0].groups if largest else 0


def _named(column: str, largest: Sequence[_Large]) -> Q:
    values = [each.value for each in largest if each.value is not None]
    is_named = Q(**{f"{column}__in": values})
    return is_named if len(values) == len(largest) else is_named | Q(**{f"{column}__isnull": True})


def _most_first(sums: Mapping[Any, Sums]) -> tuple[Group, ...]:
    def order(group: Group) -> tuple[int, str]:
        return -group.sums[Measure.CAPTURES].captures, group.value or ""

    return tuple(sorted((Group(*each) for each in sums.items()), key=order))


def _sums_by(column: str, within: Q) -> dict[Any, Sums]:
    amounts: dict[Any, dict[MeasureKey, Amount]] = defaultdict(dict)
    for value, key, amount in _amounts(column, within & NO_KEYS):
        amounts[value][key] = amount
    histograms: dict[Any, dict[str, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for value, measure, buckets in _buckets(column, within):
        histograms[value][measure].update(buckets)
    values = dict.fromkeys([*amounts, *histograms])
    return {value: Sums(amounts.get(value, {}), histograms.get(value, {})) for value in values}


def _amounts(column: str, within: Q) -> Iterator[tuple[Any, MeasureKey, Amount]]:
    sums = Sum.objects.filter(within).order_by().values_list(F(column), "measure", "value")
    for group, measure, value, captures, total in sums.annotate(SumOf("captures"), SumOf("total")):
        yield group, (measure, value), Amount(int(captures), int(total))


def _buckets(column: str, within: Q) -> Iterator[tuple[Any, str, dict[int, int]]]:
    octaves = Octave.objects.filter(within).order_by().values_list(F(column), "measure", "octave")
    for value, measure, octave, *buckets in octaves.annotate(*map(SumOf, BUCKETS)):
        numbered = enumerate(buckets, octave * TO_A_DOUBLING)
        yield value, measure, {bucket: int(captures) for bucket, captures in numbered if captures}


def added(every: Iterable[Sums]) -> Sums:
    """As if all their captures had been counted together."""
    captures: Counter[MeasureKey] = Counter()
    totals: dict[MeasureKey, int] = {}
    histograms: dict[str, Counter[int]] = defaultdict(Counter)
    for sums in every:
        for key, (number, total) in sums.amounts.items():
            captures[key] += number
            totals[key] = totals.get(key, 0) + total
        for name, buckets in sums.histograms.items():
            histograms[name].update(buckets)
    return Sums({key: Amount(captures[key], total) for key, total in totals.items()}, histograms)
