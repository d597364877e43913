"""Usage groups of a period as table rows that link to their captures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from inspector.archive.models import UNINSPECTED, State
from inspector.core.analysis import Verdict
from inspector.dashboard.charts.chart import ColumnParts
from inspector.dashboard.text.cost_note_sentences import tier_words
from inspector.dashboard.text.rate_interval import RateInterval
from inspector.dashboard.usage.chart_parts import (
    prompt_and_completion_totals,
    token_parts,
    token_total,
)
from inspector.dashboard.usage.wording import computed_cost, sum_in_dollars, unpriced_captures_words
from inspector.formatting.humanize import iso_utc, share
from inspector.usage.measures import Measure
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import UsageGroup

VOTES_FILTERED_BY = ("model", "vendor")
"""Groupings whose values are also filters of the votes list."""


@dataclass(frozen=True, slots=True)
class UsageGroupRow:
    name: str
    """Empty for captures without a value."""
    query: str
    """Archive query."""
    captures: int
    tokens: int | None
    """None if no capture reports tokens."""
    tokens_cover: str
    """Share of captures that report them; empty if all do. Other ``*_cover`` fields alike."""
    parts: tuple[tuple[str, str, str], ...]
    """Tone, position and width of each bar part, in percent of the largest group."""
    cost: str
    """Computed cost, with ``≥`` if it is a lower bound; empty if unknown for all captures."""
    cost_excludes: str
    """Billed items the cost excludes."""
    cost_cover: str
    stated: str
    stated_cover: str
    contradicts_stated: int
    """Captures whose stated cost differs from the computed one."""
    first_p50: int | None
    first_p95: int | None
    duration_p50: int | None
    complete: str
    reported: str
    negative: RateInterval | None
    """Negative rate of the votes cast in the period; None without votes."""
    votes_query: str
    """Query of the votes page; empty if it cannot filter by this grouping or has no votes."""


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
    largest = (
        max((sum(prompt_and_completion_totals(group.sums)) for group in groups), default=0) or 1
    )
    for group in groups:
        sums = group.sums
        captures = sums[Measure.CAPTURES].captures
        tokens, counted = token_total(sums)
        value = group.value or ""
        votes_filter = {by: value} if by in VOTES_FILTERED_BY and value else {}
        yield UsageGroupRow(
            name=tier_words((value, group.other_value)) if group.other_value else value,
            query=captures_query(period, **group_filter(group, by)),
            captures=captures,
            tokens=tokens,
            tokens_cover=share_if_partial(counted, captures),
            parts=tuple(stacked_bar(token_parts(sums), largest)),
            cost=computed_cost(sums, "≥ "),
            cost_excludes=unpriced_captures_words(sums),
            cost_cover=share_if_partial(sums[Measure.COST_COMPUTED].captures, captures),
            stated=sum_in_dollars(sums, Measure.COST_STATED),
            stated_cover=share_if_partial(sums[Measure.COST_STATED].captures, captures),
            contradicts_stated=sums[Measure.COST_CONTRADICTS_STATED].captures,
            first_p50=sums.percentile(Measure.FIRST_TOKEN_US, 0.5),
            first_p95=sums.percentile(Measure.FIRST_TOKEN_US, 0.95),
            duration_p50=sums.percentile(Measure.DURATION_US, 0.5),
            complete=share(sums[Measure.VERDICT, Verdict.COMPLETE].captures, captures),
            reported=share(sums[Measure.USAGE_REPORTED].captures, captures),
            negative=votes.get(value),
            votes_query=urlencode({**votes_filter, **period_params(period)})
            if votes_filter
            else "",
        )


def group_filter(group: UsageGroup, by: str) -> dict[str, str | tuple[str, ...]]:
    """The archive filter that matches the captures of a group."""
    if not group.value:
        return {"missing": by}
    if group.other_value:
        return {"ambiguous_tier": (group.value, group.other_value)}
    return {by: group.value}


def share_if_partial(part: int, captures: int) -> str:
    return share(part, captures) if part < captures else ""


def stacked_bar(parts: ColumnParts, largest: int) -> Iterator[tuple[str, str, str]]:
    at = 0
    for part in parts:
        if part.size:
            yield part.tone, f"{at / largest:.4%}", f"{part.size / largest:.4%}"
            at += part.size
