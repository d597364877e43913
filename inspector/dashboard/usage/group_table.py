"""Usage groups of a period as table rows that link to their captures, and the groups in one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlencode

from inspector.archive.models import UNINSPECTED, State
from inspector.core.analysis import Verdict
from inspector.dashboard.text.cost_note_sentences import tier_words
from inspector.dashboard.text.rate_interval import RateInterval
from inspector.dashboard.usage.chart_parts import token_total
from inspector.dashboard.usage.wording import legible_cost, relative_change, unpriced_captures_words
from inspector.database.portability import StatementTimeout
from inspector.formatting.humanize import iso_utc, share
from inspector.usage.cost.unknown import PRICEABLE
from inspector.usage.measures import Measure
from inspector.usage.rollup.dimensions import DIMENSIONS
from inspector.usage.rollup.grouping import UsageGrouping, find_groups
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import MeasureSums, TeamSums, UsageGroup, UsageGroups
from inspector.usage.rollup.tables import MAX_GROUPS, TOO_LONG

LISTED_GROUPS = 10
"""Rows of the table until all are asked for."""
VOTES_FILTERED_BY = ("model", "vendor")
"""Groupings whose values are also filters of the votes list."""


CaptureFilter = dict[str, str | tuple[str, ...]]
NO_FILTER: CaptureFilter = {}
GroupKey = tuple[str | None, str | None]
NOT_COMPARED: Mapping[GroupKey, int] = {}
INCOMPLETE = "-verdict:complete"


@dataclass(frozen=True, slots=True)
class TableParams:
    """How the table of groups is sorted, narrowed to names, and whether it lists all."""

    sort: str = "-cost"
    find: str = ""
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class UsageGroupRow:
    name: str
    """Empty for captures without a value."""
    query: str
    captures: int
    tokens: int | None
    """None if no capture reports tokens."""
    cost_ticks: int | None
    cost_share: str
    """Share of the cost of all groups, as the width of a bar."""
    cost: str
    """Listed cost, with ``≥`` if it is a lower bound; empty if unknown for all captures."""
    change: str
    """Of the cost, against the period before; empty where either is not known."""
    change_ratio: float | None
    cost_excludes: str
    unknown: int
    """Captures of unknown cost."""
    unpriced: int
    """Those for whose model no price is known."""
    contradicts_stated: int
    """Captures whose stated cost differs from the computed one."""
    first_p50: int | None
    first_p95: int | None
    duration_p50: int | None
    incomplete: str
    """Share of the captures that are not complete; empty if all are."""
    incomplete_query: str
    incomplete_ratio: float
    negative: RateInterval | None
    """Negative rate of the votes cast in the period; None without votes."""
    votes_query: str
    """Query of the votes page; empty if it cannot filter by this grouping or has no votes."""
    model: str
    """Its model, where that is what groups are made by."""
    of: str | None
    """Its value, to group its captures again; None for one of two values."""

    @property
    def times(self) -> dict[str, int | None]:
        """Percentiles of histograms, none of them exact."""
        return {name: getattr(self, name) for name in ("first_p50", "first_p95", "duration_p50")}


def captures_query(period: Period, **more: str | tuple[str, ...]) -> str:
    """Archive query for the captures of a period that are included in its sums."""
    return urlencode({**more, **period_params(period), "state": State.INSPECTED}, doseq=True)


def uninspected_query(period: Period) -> str:
    """Archive query for those that are not yet included."""
    states = {"state": [str(state) for state in UNINSPECTED]}
    return urlencode({**period_params(period), **states}, doseq=True)


def period_params(period: Period) -> dict[str, str]:
    return {"since": iso_utc(period.start), "until": iso_utc(period.end)}


def slot_query(start: datetime, end: datetime) -> str:
    length = int((end - start) / timedelta(seconds=1))
    return captures_query(Period(start, end, length))


def group_rows(
    groups: Sequence[UsageGroup],
    by: str,
    period: Period,
    votes: Mapping[str, RateInterval],
    spent: int,
    before: Mapping[GroupKey, int] = NOT_COMPARED,
    outer: CaptureFilter = NO_FILTER,
) -> Iterator[UsageGroupRow]:
    """``spent`` is what shares are of, ``before`` the cost of groups in the period before,
    ``outer`` the filter of the group that they are in.
    """
    for group in groups:
        earlier = before.get((group.value, group.other_value))
        sums, cost = group.sums, ListedCost.of(group.sums)
        of_captures = both(outer, group_filter(group, by))
        captures = sums[Measure.CAPTURES].captures
        incomplete = captures - sums[Measure.VERDICT, Verdict.COMPLETE].captures
        tokens, _ = token_total(sums)
        value = group.value or ""
        votes_filter = {by: value} if by in VOTES_FILTERED_BY and value else {}
        yield UsageGroupRow(
            name=tier_words((value, group.other_value)) if group.other_value else value,
            query=captures_query(period, **of_captures),
            captures=captures,
            tokens=tokens,
            cost_ticks=cost.ticks,
            cost_share=f"{(cost.ticks or 0) / (spent or 1):.2%}",
            cost=legible_cost(sums),
            change=relative_change(cost.ticks, earlier),
            change_ratio=cost.ticks / earlier if earlier and cost.ticks is not None else None,
            cost_excludes=unpriced_captures_words(sums) if cost.lower_bounds else "",
            unknown=cost.unknown,
            unpriced=sum(sums[Measure.COST_UNKNOWN, each].captures for each in PRICEABLE),
            contradicts_stated=sums[Measure.COST_CONTRADICTS_STATED].captures,
            first_p50=sums.percentile(Measure.FIRST_TOKEN_US, 0.5),
            first_p95=sums.percentile(Measure.FIRST_TOKEN_US, 0.95),
            duration_p50=sums.percentile(Measure.DURATION_US, 0.5),
            incomplete=share(incomplete, captures) if incomplete else "",
            incomplete_query=captures_query(
                period, **of_captures | {"q": f"{of_captures.get('q', '')} {INCOMPLETE}".strip()}
            ),
            incomplete_ratio=incomplete / max(captures, 1),
            negative=votes.get(value),
            votes_query=urlencode({**votes_filter, **period_params(period)})
            if votes_filter
            else "",
            model=value if by == "model" else "",
            of=None if group.other_value else value,
        )


def ticks_before(sums: TeamSums, period: Period, by: str) -> Mapping[GroupKey, int]:
    """Return the known cost of each group in the period before. By what captures are counted for,
    none: that would take as long once more.
    """
    found = groups_of(sums, period.before, UsageGrouping(by)) if by in DIMENSIONS else None
    costs = ((group, ListedCost.of(group.sums).ticks) for group in (found.listed if found else ()))
    return {(g.value, g.other_value): ticks for g, ticks in costs if ticks is not None}


def spent_ticks(groups: Iterable[UsageGroup]) -> int:
    return sum(ListedCost.of(group.sums).ticks or 0 for group in groups)


def both(outer: CaptureFilter, inner: CaptureFilter) -> CaptureFilter:
    """Return the filter that matches the captures which each of two matches."""
    found = outer | inner
    if "missing" in outer and "missing" in inner:
        # As a parameter, any of them is enough.
        found["q"] = f"missing:{outer['missing']} missing:{found.pop('missing')}"
    return found


def group_filter(group: UsageGroup, by: str) -> CaptureFilter:
    """Return the archive filter that matches the captures of a group."""
    if not group.value:
        return {"missing": by}
    if group.other_value:
        return {"ambiguous_tier": (group.value, group.other_value)}
    return {by: group.value}


def filled_columns(rows: Iterable[UsageGroupRow]) -> frozenset[str]:
    """Return the names of ``SORTS`` of which any row tells something."""
    found = tuple(rows)
    return frozenset(name for name, value in SORTS.items() if any(map(value, found)))


# -- the table -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GroupTable:
    rows: tuple[UsageGroupRow, ...]
    others: int
    """Number of groups that are listed when all are asked for."""
    beyond: int
    """Number of groups beyond the limit."""
    newest: int | None
    """Number of captures that were counted; None where all were."""
    not_grouped: str
    """Why there are no groups; empty if there are."""
    has_unpriced: bool
    """True if a price would make some cost known, of all groups."""
    inner: GroupTable | None = None
    """The groups in the row whose ``of`` is ``open_of``."""
    open_of: str | None = None

    @property
    def columns(self) -> frozenset[str]:
        """Columns that have anything in them."""
        return filled_columns(self.rows)

    @property
    def has_many(self) -> bool:
        """Whether there are so many groups that one is searched for."""
        return self.others > 0 or len(self.rows) > LISTED_GROUPS

    @property
    def has_votes(self) -> bool:
        return any(row.negative for row in self.rows)


def build_group_table(
    sums: TeamSums,
    period: Period,
    grouping: UsageGrouping,
    votes: Mapping[str, RateInterval],
    params: TableParams,
    has_comparison: bool = True,
) -> GroupTable:
    """Build the table; ``votes`` holds the negative rate of each group that has votes."""
    groups = groups_of(sums, period, UsageGrouping(grouping.by))
    listed = groups.listed if groups else ()
    spent, text = spent_ticks(listed), params.find.casefold()
    before = ticks_before(sums, period, grouping.by) if has_comparison else NOT_COMPARED
    rows = group_rows(listed, grouping.by, period, votes, spent, before)
    found = sorted_rows((row for row in rows if text in row.name.casefold()), params.sort)
    at = next((at for at, row in enumerate(found) if row.of == grouping.of), None)
    if not grouping.within or at is None:
        return _table(groups, found, params)
    # The open row is listed wherever the order puts it.
    is_whole = params.is_whole or at >= LISTED_GROUPS
    table = _table(groups, found, replace(params, is_whole=is_whole))
    inner = _inner_table(sums, period, grouping, params, spent)
    return replace(table, inner=inner, open_of=grouping.of)


def _inner_table(
    sums: TeamSums, period: Period, grouping: UsageGrouping, params: TableParams, spent: int
) -> GroupTable:
    groups, of = groups_of(sums, period, grouping), UsageGroup(grouping.of, MeasureSums())
    outer, listed = group_filter(of, grouping.by), groups.listed if groups else ()
    rows = group_rows(listed, grouping.within, period, {}, spent, outer=outer)
    return _table(groups, sorted_rows(rows, params.sort), params)


def _table(
    groups: UsageGroups | None, found: Sequence[UsageGroupRow], params: TableParams
) -> GroupTable:
    return GroupTable(
        rows=tuple(found if params.is_whole else found[:LISTED_GROUPS]),
        others=0 if params.is_whole else max(0, len(found) - LISTED_GROUPS),
        beyond=groups.others if groups else 0,
        newest=groups.newest if groups else None,
        not_grouped="" if groups else TOO_LONG,
        has_unpriced=any(row.unknown and row.unpriced for row in found),
    )


def groups_of(sums: TeamSums, period: Period, grouping: UsageGrouping) -> UsageGroups | None:
    """Query the groups; None if that takes too long, as the rest does not depend on them."""
    try:
        return find_groups(sums, period, grouping.innermost, MAX_GROUPS, grouping.outer)
    except StatementTimeout:
        return None


# -- sorted and narrowed ---------------------------------------------------------------------------

SortValue = Callable[[UsageGroupRow], float | None]
SORTS: Mapping[str, SortValue] = {
    "cost": lambda row: row.cost_ticks,
    "change": lambda row: row.change_ratio,
    "captures": lambda row: row.captures,
    "tokens": lambda row: row.tokens,
    "unknown": lambda row: row.unknown,
    "first_p50": lambda row: row.first_p50,
    "first_p95": lambda row: row.first_p95,
    "duration_p50": lambda row: row.duration_p50,
    "incomplete": lambda row: row.incomplete_ratio,
}
NAME = "name"


def sorted_rows(rows: Iterable[UsageGroupRow], sort: str) -> list[UsageGroupRow]:
    """By a name of ``SORTS``, ``-`` in front for the largest first; rows without one come last."""
    key, is_descending = sort.removeprefix("-"), sort.startswith("-")
    if key == NAME:
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=is_descending)
    value = SORTS.get(key, SORTS["cost"])
    sign = -1 if is_descending else 1
    return sorted(rows, key=lambda row: ((of := value(row)) is None, sign * (of or 0)))
