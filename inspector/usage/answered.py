"""What is watched of models, counted by the hour: for each subject which values came how often."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple

from inspector.usage.changes import Slot, Value

MOST_VALUES = 1_000
"""Of one subject of one model; captures with others are in the totals."""

Place = tuple[str | None, str | None]
"""A vendor and a model."""


class Counted(Generic[Value]):
    """Captures by hour and value."""

    def __init__(self) -> None:
        self.values: set[Value] = set()
        self._captures: dict[int, int] = defaultdict(int)
        self._counts: dict[int, dict[Value, int]] = defaultdict(dict)

    def add(self, hour: int, value: Value, captures: int) -> None:
        self._captures[hour] += captures
        if value not in self.values:
            if len(self.values) >= MOST_VALUES:
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
    def history(self) -> list[Slot[Value]]:
        hours = sorted(hour for hour, captures in self._captures.items() if captures > 0)
        return [Slot(hour, self._captures[hour], self._counts[hour]) for hour in hours]


@dataclass(slots=True)
class Answers:
    """Of one model of one vendor."""

    fingerprints: Counted[str | None] = field(default_factory=Counted)
    tiers: Counted[str | None] = field(default_factory=Counted)
    finishes: Counted[str] = field(default_factory=Counted)
    first_token: Counted[int] = field(default_factory=Counted)
    key_sets: Counted[str] = field(default_factory=Counted)


class KeysSeen(NamedTuple):
    streamed: bool
    paths: frozenset[str]


@dataclass(slots=True)
class Histories:
    answers: dict[Place, Answers] = field(default_factory=dict)
    aliases: dict[Place, Counted[str | None]] = field(default_factory=dict)
    """By the model that was asked for: which one answered."""
    key_sets: Mapping[str, KeysSeen] = field(default_factory=dict)
    """By digest."""
