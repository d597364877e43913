"""Limits the finish reasons that are counted apart in a day to the first ones.

A provider that sends a new one in every response then adds a bounded number of sums a day.
Finish reasons that a format or vendor documents are always counted apart.
"""

from datetime import datetime
from functools import cache

from inspector.archive.inspection.projection import NO_FINISH
from inspector.core.fields.finish_reasons import finish_meanings
from inspector.usage.measures import Measure, Measures
from inspector.usage.models import DAY_SECONDS, UsageSum
from inspector.usage.rollup.dimensions import ALL

# Finish reasons of a team. Concurrent transactions do not see each other's, so there may be a few
# more.
MAX_A_DAY = 200


class FinishReasonLimit:
    """Applies the limit to the captures of one transaction."""

    def __init__(self) -> None:
        self._days: dict[tuple[int, datetime], set[str]] = {}

    def bounded(self, measures: Measures, team_id: int, hour: datetime) -> Measures:
        """Return the measures of a capture of this hour, finish reasons beyond the limit as one."""
        reasons = {value for measure, value in measures if measure == Measure.FINISH_REASON}
        found = reasons - _documented()
        if not found:
            return measures
        apart = self._counted_apart(found, team_id, hour)
        further = {(Measure.FINISH_REASON, reason) for reason in found - apart}
        kept = {key: number for key, number in measures.items() if key not in further}
        return {**kept, (Measure.FURTHER_FINISH_REASONS, ""): None} if further else measures

    def _counted_apart(self, found: set[str], team_id: int, hour: datetime) -> set[str]:
        day = team_id, hour.replace(hour=0)
        if day not in self._days:
            self._days[day] = _stored(*day)
        reasons = self._days[day]
        reasons.update(sorted(found - reasons)[: max(0, MAX_A_DAY - len(reasons))])
        return reasons


def _stored(team_id: int, day: datetime) -> set[str]:
    sums = UsageSum.objects.filter(team=team_id, by=ALL, span_seconds=DAY_SECONDS, start=day)
    others = sums.filter(measure=Measure.FINISH_REASON).exclude(value__in=_documented())
    # In the order of their index: of a day of before the bound each transaction takes the same.
    return {*others.order_by("series", "value").values_list("value", flat=True)[:MAX_A_DAY]}


@cache
def _documented() -> frozenset[str]:
    return frozenset({NO_FINISH, *finish_meanings()})
