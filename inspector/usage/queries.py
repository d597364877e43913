"""The one door to sums: whoever reads them comes through ``for_principal``.

What is asked of the database is bounded by the hours or days and the series of a period, never by
the number of captures.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import F, Q
from django.db.models import Sum as SumOf

from inspector.teams.access import READ, Principal
from inspector.usage.alike import ALL, EXACT
from inspector.usage.histogram import TO_A_DOUBLING, percentile
from inspector.usage.keys import KEYS
from inspector.usage.marked import Marked, marked
from inspector.usage.models import BUCKETS, Octave, Price, Sum
from inspector.usage.overrides import Override
from inspector.usage.periods import Period
from inspector.usage.team_prices import overrides_of


class Amount(NamedTuple):
    """``captures`` that told a measure, and what they told, added up."""

    captures: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Sums:
    """By measure. A measure that no capture told is not there: that is not the same as 0."""

    amounts: Mapping[str, Amount] = field(default_factory=dict)

    def __getitem__(self, measure: str) -> Amount:
        return self.amounts.get(measure, Amount())

    def total(self, measure: str) -> int | None:
        """None where it was never told."""
        amount = self.amounts.get(measure)
        return amount.total if amount else None

    def under(self, prefix: str) -> dict[str, int]:
        """Captures of each measure whose name begins so, by the rest of the name; most first."""
        found = {
            name.removeprefix(prefix): amount.captures
            for name, amount in self.amounts.items()
            if name.startswith(prefix)
        }
        return dict(sorted(found.items(), key=lambda each: (-each[1], each[0])))

    def percentile(self, name: str, share: float) -> int | None:
        """Of a histogram; None where it counted nothing."""
        buckets = self.under(f"{name} ")
        return percentile({int(bucket): n for bucket, n in buckets.items()}, share)


@dataclass(frozen=True, slots=True)
class Group:
    """``value`` None: the captures that have none."""

    value: str | None
    sums: Sums


class ComputedCost(NamedTuple):
    """``computed_usd`` is exact decimal text, None where it is not known, for ``reason``."""

    computed_usd: str | None
    reason: str | None
    table: str


@dataclass(frozen=True, slots=True)
class StoredPrice:
    """By which a capture is in the sums; ``overrides`` are those that its team has now."""

    computed_usd: str | None
    reason: str | None
    table: str
    overrides: tuple[Override, ...]


def for_principal(principal: Principal) -> TeamSums:
    return TeamSums(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class TeamSums:
    team_ids: tuple[int, ...]

    def groups(self, period: Period, by: str) -> tuple[Group, ...]:
        """Most captures first."""
        # A key is shown by the name that people gave it.
        column = "series__key__name" if by == "key" else f"series__{by}"
        kind = EXACT if period.is_by_the_hour else by
        groups = [Group(*each) for each in _sums_by(column, self._within(period, kind)).items()]
        return tuple(
            sorted(groups, key=lambda each: (-each.sums["captures"].captures, each.value or ""))
        )

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
        row = Price.objects.filter(pk=capture_id, team__in=self.team_ids).defer("bill").first()
        if row is None:
            return None
        overrides = overrides_of([row.team_id])[row.team_id]
        return StoredPrice(row.computed_usd, row.reason, row.table, overrides)

    def costs(self, capture_ids: Collection[UUID]) -> dict[UUID, ComputedCost]:
        """Of those that have a price and that may be seen; one statement for all."""
        if not capture_ids:
            return {}
        found = Price.objects.filter(pk__in=capture_ids, team__in=self.team_ids)
        rows = found.values_list("pk", "computed_usd", "reason", "table")
        return {id: ComputedCost(usd, reason, table) for id, usd, reason, table in rows}

    def _within(self, period: Period, kind: str) -> Q:
        return Q(
            team__in=self.team_ids,
            by=kind,
            span_seconds=period.slot_seconds,
            start__gte=period.start,
            start__lt=period.end,
        )


NO_KEYS = ~Q(measure__startswith=KEYS)
"""These are for the watch, and told to nobody as they are."""


def _sums_by(column: str, within: Q) -> dict[Any, Sums]:
    found: dict[Any, dict[str, Amount]] = defaultdict(dict)
    for value, measure, amount in chain(
        _amounts(column, within & NO_KEYS), _buckets(column, within)
    ):
        found[value][measure] = amount
    return {value: Sums(amounts) for value, amounts in found.items()}


Found = Iterator[tuple[Any, str, Amount]]


def _amounts(column: str, within: Q) -> Found:
    sums = Sum.objects.filter(within).order_by().values_list(F(column), "measure")
    for value, measure, captures, total in sums.annotate(SumOf("captures"), SumOf("total")):
        yield value, measure, Amount(int(captures), int(total))


def _buckets(column: str, within: Q) -> Found:
    octaves = Octave.objects.filter(within).order_by().values_list(F(column), "measure", "octave")
    for value, measure, octave, *buckets in octaves.annotate(*map(SumOf, BUCKETS)):
        for bucket, captures in enumerate(buckets, octave * TO_A_DOUBLING):
            if captures:
                yield value, f"{measure} {bucket}", Amount(int(captures))


def added(every: Iterable[Sums]) -> Sums:
    """As if all their captures had been counted together."""
    found: dict[str, Amount] = {}
    for sums in every:
        for name, amount in sums.amounts.items():
            before = found.get(name, Amount())
            found[name] = Amount(before.captures + amount.captures, before.total + amount.total)
    return Sums(found)
