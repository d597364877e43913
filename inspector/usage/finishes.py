"""Which finish reasons of a day are told apart: those that came first, up to a number.

A provider that sends another one in every answer adds so many sums a day, not some with each
capture. What documents define is told apart in any case.
"""

from __future__ import annotations

from datetime import datetime

from inspector.archive.projection import NO_FINISH
from inspector.usage.alike import ALL
from inspector.usage.measures import Measure, Measures
from inspector.usage.models import DAY_SECONDS, Sum

MOST_A_DAY = 200
"""Of a team. Transactions side by side do not see each other's: it may be a few more."""
DEFINED = frozenset({"stop", "length", "tool_calls", "function_call", "content_filter", NO_FINISH})


class Finishes:
    """For the captures of one transaction."""

    def __init__(self) -> None:
        self._days: dict[tuple[int, datetime], set[str]] = {}

    def bounded(self, measures: Measures, team_id: int, hour: datetime) -> Measures:
        """What a capture of this hour gives: reasons beyond the bound are counted together."""
        reasons = {value for measure, value in measures if measure == Measure.FINISH_REASON}
        found = reasons - DEFINED
        if not found:
            return measures
        apart = self._told_apart(found, team_id, hour)
        further = {(Measure.FINISH_REASON, reason) for reason in found - apart}
        kept = {key: number for key, number in measures.items() if key not in further}
        return {**kept, (Measure.FURTHER_FINISH_REASONS, ""): None} if further else measures

    def _told_apart(self, found: set[str], team_id: int, hour: datetime) -> set[str]:
        day = team_id, hour.replace(hour=0)
        if day not in self._days:
            self._days[day] = _stored(*day)
        reasons = self._days[day]
        reasons.update(sorted(found - reasons)[: max(0, MOST_A_DAY - len(reasons))])
        return reasons


def _stored(team_id: int, day: datetime) -> set[str]:
    sums = Sum.objects.filter(team=team_id, by=ALL, span_seconds=DAY_SECONDS, start=day)
    reasons = sums.filter(measure=Measure.FINISH_REASON).values_list("value", flat=True)
    # In the order of their index: of a day of before the bound each transaction takes the same.
    return {*reasons.order_by("series", "value")[: MOST_A_DAY + len(DEFINED)]} - DEFINED
