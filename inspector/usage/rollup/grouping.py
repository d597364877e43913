"""Groups of a period by anything that usage is grouped by.

What series are kept of is read from the sums. By tag and by session there are none: a sum for each
would grow with callers, and a tag that is set later would have to move it. There the contributions
of captures are added up, which are the same numbers: those of the newest of the period.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet

from inspector.database.portability import time_limit
from inspector.usage.measures import (
    HISTOGRAMS,
    Measure,
    MeasureItem,
    MeasureKey,
    decode_items,
)
from inspector.usage.models import StoredContribution
from inspector.usage.rollup.dimensions import GROUPINGS, OF_CAPTURES
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import (
    LIMIT_MILLISECONDS,
    Columns,
    GroupValues,
    MeasureSum,
    MeasureSums,
    OuterGroup,
    TeamSums,
    UsageGroups,
    in_group,
    largest_first,
    series_columns,
)

MOST = 10_000
"""How many were counted is told beside the numbers."""
COLUMNS = {"tag": ("capture__tags",), "session": ("capture__inspection__session",)}
NOTHING = MeasureSum()
NEWEST_FIRST = ("-capture__called_at", "-capture")


class BadGrouping(ValueError):
    """A parameter is invalid; the message begins with its ``name``."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"{name} {what}")
        self.name, self.what = name, what


@dataclass(frozen=True, slots=True)
class UsageGrouping:
    """Groups by one dimension; with ``within`` those by another one of the group ``of``."""

    by: str = "model"
    within: str = ""
    of: str = ""
    """Empty for the captures without a value."""

    @property
    def outer(self) -> OuterGroup | None:
        return OuterGroup(self.by, self.of or None) if self.within else None

    @property
    def innermost(self) -> str:
        return self.within or self.by


def grouping_from_params(by: str | None, within: str | None, of: str | None) -> UsageGrouping:
    """Raise ``BadGrouping`` for what is no grouping."""
    found = UsageGrouping(by or "model", within or "", of or "")
    for name, value in (("by", found.by), ("within", found.within or found.by)):
        if value not in GROUPINGS:
            raise BadGrouping(name, f"is one of {', '.join(GROUPINGS)}")
    if found.within == found.by:
        raise BadGrouping("within", "is another one than by")
    if bool(found.within) != (of is not None):
        raise BadGrouping("of", "goes with within: a value of by, empty for captures without one")
    return found


def find_groups(
    sums: TeamSums, period: Period, by: str, limit: int, of: OuterGroup | None = None
) -> UsageGroups:
    """Return the ``limit`` largest groups of a period, or of a group in it, by ``GROUPINGS``.
    Raises ``StatementTimeout``.
    """
    if by not in OF_CAPTURES and (of is None or of.by not in OF_CAPTURES):
        return sums.groups(period, by, limit, of)
    # What is not kept of a series is looked for in what was fetched.
    outer = of if of and of.by in OF_CAPTURES else None
    within = in_group(of) if of and not outer else Q()
    columns = (*_columns(by), *(_columns(outer.by) if outer else ()))
    found = _newest(_contributions(sums, period).filter(within), columns)
    every = largest_first(_added_up(found[:MOST], by, outer))
    newest = MOST if len(found) > MOST else None
    return UsageGroups(every[:limit], max(0, len(every) - limit), newest)


def _contributions(sums: TeamSums, period: Period) -> QuerySet[StoredContribution]:
    return StoredContribution.objects.filter(
        capture__team__in=sums.team_ids,
        capture__called_at__gte=period.start,
        capture__called_at__lt=period.end,
    )


def _newest(rows: QuerySet[StoredContribution], columns: Columns) -> list[tuple[Any, ...]]:
    with time_limit(LIMIT_MILLISECONDS):
        return list(rows.order_by(*NEWEST_FIRST).values_list("measures", *columns)[: MOST + 1])


def _columns(by: str) -> Columns:
    return COLUMNS.get(by) or series_columns(by)


def _added_up(
    rows: Iterable[tuple[Any, ...]], by: str, outer: OuterGroup | None
) -> dict[GroupValues, MeasureSums]:
    # How often each measure has each number is counted by the interpreter, not by a loop of ours.
    found: dict[GroupValues, Counter[MeasureItem]] = defaultdict(Counter)
    size = len(_columns(by)) + 1
    for row in rows:
        if outer is None or (outer.value,) in _groups_of(outer.by, row[size:]):
            items = decode_items(bytes(row[0]))
            for group in _groups_of(by, row[1:size]):
                found[group].update(items)
    return {group: _sums(items) for group, items in found.items()}


def _groups_of(by: str, values: Sequence[Any]) -> tuple[GroupValues, ...]:
    """Return the groups of a capture: with several tags it is in several."""
    if by != "tag":
        return (tuple(value or None for value in values),)
    return tuple((tag,) for tag in dict.fromkeys(values[0])) or ((None,),)


def _sums(items: Mapping[MeasureItem, int]) -> MeasureSums:
    amounts: dict[MeasureKey, MeasureSum] = {}
    histograms: dict[str, dict[int, int]] = defaultdict(dict)
    for (measure, value, number), captures in items.items():
        if measure in HISTOGRAMS:
            histograms[measure][int(value)] = captures
        elif measure != Measure.FIELDS:
            before = amounts.get((measure, value), NOTHING)
            total = before.total + captures * (number or 0)
            amounts[measure, value] = MeasureSum(before.captures + captures, total)
    return MeasureSums(amounts, histograms)
