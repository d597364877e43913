"""The one door to sums: whoever reads them comes through ``for_principal``.

What is asked of the database is bounded by the hours or days and the series of a period, never by
the number of captures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import F, Q, QuerySet
from django.db.models import Sum as SumOf

from inspector.teams.access import READ, Principal
from inspector.usage.histogram import percentile
from inspector.usage.models import Sum
from inspector.usage.periods import Period

BY = ("model", "request_model", "vendor", "dialect", "key", "service_tier", "fingerprint")
"""What can be grouped by: columns of a series."""


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


def for_principal(principal: Principal) -> TeamSums:
    return TeamSums(tuple(principal.team_ids(READ)))


@dataclass(frozen=True, slots=True)
class TeamSums:
    team_ids: tuple[int, ...]

    def groups(self, period: Period, by: str) -> tuple[Group, ...]:
        """Most captures first."""
        # A key is shown by the name that people gave it.
        column = "series__key__name" if by == "key" else f"series__{by}"
        found = self._within(period).values_list(F(column), "measure")
        by_value: dict[str | None, dict[str, Amount]] = {}
        for value, measure, captures, total in _summed(found):
            by_value.setdefault(value, {})[measure] = Amount(captures, total)
        groups = [Group(value, Sums(amounts)) for value, amounts in by_value.items()]
        return tuple(
            sorted(groups, key=lambda each: (-each.sums["captures"].captures, each.value or ""))
        )

    def slots(self, period: Period, measures: Iterable[str]) -> dict[datetime, Sums]:
        """Those that have any; a name that ends with a space means all that begin with it."""
        meant = Q()
        for name in measures:
            meant |= Q(measure__startswith=name) if name.endswith(" ") else Q(measure=name)
        found = self._within(period).filter(meant).values_list("start", "measure")
        by_slot: dict[datetime, dict[str, Amount]] = {}
        for start, measure, captures, total in _summed(found):
            by_slot.setdefault(start, {})[measure] = Amount(captures, total)
        return {start: Sums(by_slot[start]) for start in sorted(by_slot)}

    def _within(self, period: Period) -> QuerySet[Sum, Sum]:
        return Sum.objects.filter(
            team__in=self.team_ids,
            span_seconds=period.slot_seconds,
            start__gte=period.start,
            start__lt=period.end,
        ).order_by()


def _summed(found: QuerySet[Sum, Any]) -> Iterator[tuple[Any, str, int, int]]:
    for of, measure, captures, total in found.annotate(SumOf("captures"), SumOf("total")):
        yield of, measure, int(captures), int(total)


def together(groups: Iterable[Group]) -> Sums:
    """Of all groups."""
    found: dict[str, Amount] = {}
    for group in groups:
        for name, amount in group.sums.amounts.items():
            before = found.get(name, Amount())
            found[name] = Amount(before.captures + amount.captures, before.total + amount.total)
    return Sums(found)
