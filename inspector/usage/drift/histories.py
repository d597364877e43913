"""Counts by the hour, for drift detection: for each subject, how often each value occurred."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple

from inspector.usage.drift.changes import HourSlot, Value

MAX_VALUES = 1_000
"""Most values of one subject of one model; further ones' captures count in totals only."""

VendorModel = tuple[str | None, str | None]


class HourlyCounts(Generic[Value]):
    """Captures by hour and value. Values beyond ``MAX_VALUES`` count in their hour only."""

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self._captures: dict[int, int] = defaultdict(int)
        self._counts: dict[int, dict[Value, int]] = defaultdict(dict)

    def add(self, hour: int, value: Value, captures: int) -> None:
        self._captures[hour] += captures
        if value not in self.values:
            if len(self.values) >= MAX_VALUES:
                return
            self.values.add(value)
        counts = self._counts[hour]
        counts[value] = counts.get(value, 0) + captures

    @property
    def captures_by_value(self) -> Counter[Value]:
        found: Counter[Value] = Counter()
        for counts in self._counts.values():
            found.update(counts)
        return found

    @property
    def history(self) -> list[HourSlot[Value]]:
        hours = sorted(hour for hour, captures in self._captures.items() if captures > 0)
        return [HourSlot(hour, self._captures[hour], self._counts[hour]) for hour in hours]


@dataclass(slots=True)
class ModelHistory:
    """The counts of one model of one vendor."""

    fingerprints: HourlyCounts[str | None] = field(default_factory=HourlyCounts)
    tiers: HourlyCounts[str | None] = field(default_factory=HourlyCounts)
    field_sets: HourlyCounts[str] = field(default_factory=HourlyCounts)


class StreamedFieldPaths(NamedTuple):
    streamed: bool
    paths: frozenset[str]


@dataclass(slots=True)
class TeamHistories:
    answers: dict[VendorModel, ModelHistory] = field(default_factory=dict)
    aliases: dict[VendorModel, HourlyCounts[str | None]] = field(default_factory=dict)
    """By requested model: the model that answered."""
    field_sets: Mapping[str, StreamedFieldPaths] = field(default_factory=dict)
    """By digest."""
