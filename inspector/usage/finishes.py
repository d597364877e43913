"""Which finish reasons of a day are told apart: those that came first, up to a number.

A provider that sends another one in every answer adds so many sums a day, not some with each
capture. What documents define is told apart in any case.
"""

from __future__ import annotations

from datetime import datetime

from inspector.archive.projection import NO_FINISH
from inspector.usage.alike import ALL
from inspector.usage.models import DAY_SECONDS, Sum
from inspector.usage.share import FINISH, FURTHER_FINISHES, Measures

MOST_A_DAY = 200
"""Of a team. Transactions side by side do not see each other's: it may be a few more."""
DEFINED = frozenset(
    f"{FINISH}{reason}"
    for reason in ("stop", "length", "tool_calls", "function_call", "content_filter", NO_FINISH)
)


class Finishes:
    """For the captures of one transaction."""

    def __init__(self) -> None:
        self._days: dict[tuple[int, datetime], set[str]] = {}

    def bounded(self, measures: Measures, team_id: int, hour: datetime) -> Measures:
        """What a capture of this hour gives: reasons beyond the bound are counted together."""
        found = {name for name in measures if name.startswith(FINISH)} - DEFINED
        if not found:
            return measures
        further = found - self._told_apart(found, team_id, hour)
        kept = {name: value for name, value in measures.items() if name not in further}
        return {**kept, FURTHER_FINISHES: None} if further else measures

    def _told_apart(self, found: set[str], team_id: int, hour: datetime) -> set[str]:
        day = team_id, hour.replace(hour=0)
        if day not in self._days:
            self._days[day] = _stored(*day)
        names = self._days[day]
        names.update(sorted(found - names)[: max(0, MOST_A_DAY - len(names))])
        return names


def _stored(team_id: int, day: datetime) -> set[str]:
    sums = Sum.objects.filter(team=team_id, by=ALL, span_seconds=DAY_SECONDS, start=day)
    named = sums.filter(measure__startswith=FINISH).values_list("measure", flat=True)
    # In the order of their index: of a day of before the bound each transaction takes the same.
    return {*named.order_by("series", "measure")[: MOST_A_DAY + len(DEFINED)]} - DEFINED
