"""Usage groups of a period as table rows that link to their captures."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from inspector.archive.models import UNINSPECTED, State
from inspector.core.analysis import Verdict
from inspector.dashboard.text.cost_note_sentences import tier_words
from inspector.dashboard.text.rate_interval import RateInterval
from inspector.dashboard.usage.chart_parts import token_total
from inspector.dashboard.usage.wording import legible_cost, unpriced_captures_words
from inspector.formatting.humanize import iso_utc, share
from inspector.usage.cost.unknown import PRICEABLE
from inspector.usage.measures import Measure
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import UsageGroup

VOTES_FILTERED_BY = ("model", "vendor")
"""Groupings whose values are also filters of the votes list."""


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
    incomplete_ratio: float
    negative: RateInterval | None
    """Negative rate of the votes cast in the period; None without votes."""
    votes_query: str
    """Query of the votes page; empty if it cannot filter by this grouping or has no votes."""

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
    groups: tuple[UsageGroup, ...], by: str, period: Period, votes: Mapping[str, RateInterval]
) -> Iterator[UsageGroupRow]:
    costs = [ListedCost.of(group.sums) for group in groups]
    spent = sum(cost.ticks or 0 for cost in costs) or 1
    for group, cost in zip(groups, costs, strict=True):
        sums = group.sums
        captures = sums[Measure.CAPTURES].captures
        incomplete = captures - sums[Measure.VERDICT, Verdict.COMPLETE].captures
        tokens, _ = token_total(sums)
        value = group.value or ""
        votes_filter = {by: value} if by in VOTES_FILTERED_BY and value else {}
        yield UsageGroupRow(
            name=tier_words((value, group.other_value)) if group.other_value else value,
            query=captures_query(period, **group_filter(group, by)),
            captures=captures,
            tokens=tokens,
            cost_ticks=cost.ticks,
            cost_share=f"{(cost.ticks or 0) / spent:.2%}",
            cost=legible_cost(sums),
            cost_excludes=unpriced_captures_words(sums) if cost.lower_bounds else "",
            unknown=cost.unknown,
            unpriced=sum(sums[Measure.COST_UNKNOWN, each].captures for each in PRICEABLE),
            contradicts_stated=sums[Measure.COST_CONTRADICTS_STATED].captures,
            first_p50=sums.percentile(Measure.FIRST_TOKEN_US, 0.5),
            first_p95=sums.percentile(Measure.FIRST_TOKEN_US, 0.95),
            duration_p50=sums.percentile(Measure.DURATION_US, 0.5),
            incomplete=share(incomplete, captures) if incomplete else "",
            incomplete_ratio=incomplete / max(captures, 1),
            negative=votes.get(value),
            votes_query=urlencode({**votes_filter, **period_params(period)})
            if votes_filter
            else "",
        )


def group_filter(group: UsageGroup, by: str) -> dict[str, str | tuple[str, ...]]:
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


# -- sorted and narrowed ---------------------------------------------------------------------------

SortValue = Callable[[UsageGroupRow], float | None]
SORTS: Mapping[str, SortValue] = {
    "cost": lambda row: row.cost_ticks,
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
