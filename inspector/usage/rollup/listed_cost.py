"""The cost that lists show, added up: the stated one of each capture, else the computed one."""

from __future__ import annotations

from dataclasses import dataclass

from inspector.usage.measures import Measure
from inspector.usage.rollup.queries import MeasureSums


@dataclass(frozen=True, slots=True)
class ListedCost:
    captures: int
    """Those whose cost is known."""
    ticks: int | None
    """None where no cost is known."""
    lower_bounds: int
    """Captures whose known cost leaves out something billed."""
    unknown: int

    @classmethod
    def of(cls, sums: MeasureSums) -> ListedCost:
        computed, stated = sums[Measure.COST_COMPUTED], sums[Measure.COST_STATED]
        replaced, least = sums[Measure.COST_BOTH_COMPUTED], sums[Measure.COST_BOTH_LOWER_BOUND]
        captures = computed.captures + stated.captures - replaced.captures
        uncomputed = sum(sums.by_value(Measure.COST_UNKNOWN).values())
        return cls(
            captures=captures,
            ticks=computed.total + stated.total - replaced.total if captures else None,
            lower_bounds=sums[Measure.COST_LOWER_BOUND].captures - least.captures,
            unknown=uncomputed - (stated.captures - replaced.captures),
        )

    @property
    def is_least(self) -> bool:
        """Tell whether more was spent than is known."""
        return bool(self.lower_bounds or self.unknown)
