"""The groups of a period as rows, each leading to its captures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from inspector.archive.models import UNINSPECTED, State
from inspector.core.analysis import Verdict
from inspector.dashboard.chart import Parts
from inspector.dashboard.interval import Interval
from inspector.dashboard.strip import written
from inspector.dashboard.usage_parts import token_parts, tokens_of, wholes
from inspector.dashboard.usage_words import computed, money, not_in_it, share
from inspector.usage.measures import Measure
from inspector.usage.periods import Period
from inspector.usage.queries import Group

VOTES_FILTERED_BY = ("model", "vendor")
"""Groups whose name is a filter of the votes' too."""


@dataclass(frozen=True, slots=True)
class GroupRow:
    value: str
    query: str
    """Of the archive."""
    captures: int
    tokens: int | None
    """None where nobody told them."""
    tokens_cover: str
    """The share of captures that they are of; empty where that is all of them, as below."""
    parts: tuple[tuple[str, str, str], ...]
    """Tone, place and width in percent of the largest."""
    cost: str
    """Computed, after ``≥`` where something billed is not in it; empty where it is known of none.
    """
    cost_lacks: str
    """What is not in it."""
    cost_covers: str
    stated: str
    stated_covers: str
    differs: int
    """Captures whose stated cost is another than the computed one."""
    first_p50: int | None
    first_p95: int | None
    duration_p50: int | None
    complete: str
    reported: str
    negative: Interval | None
    """Of the votes that were cast in the period; None where there are none."""
    votes_query: str
    """Of the page of votes; empty where it has no filter of this name or none for their absence."""


def captures_query(period: Period, **more: str) -> str:
    """Of the archive's list: the captures of a period that are in its sums."""
    return urlencode({**more, **between(period), "state": State.INSPECTED})


def uninspected_query(period: Period) -> str:
    """Those that are not."""
    states = {"state": [str(state) for state in UNINSPECTED]}
    return urlencode({**between(period), **states}, doseq=True)


def between(period: Period) -> dict[str, str]:
    return {"since": written(period.start), "until": written(period.end)}


def slot_query(start: datetime, end: datetime) -> str:
    length = int((end - start) / timedelta(seconds=1))
    return captures_query(Period(start, end, length))


def group_rows(
    groups: tuple[Group, ...], by: str, period: Period, votes: Mapping[str, Interval]
) -> Iterator[GroupRow]:
    largest = max((sum(wholes(group.sums)) for group in groups), default=0) or 1
    for group in groups:
        sums = group.sums
        captures = sums[Measure.CAPTURES].captures
        tokens, counted = tokens_of(sums)
        value = group.value or ""
        named = {by: value} if value else {"lacks": by}
        voted = {by: value} if by in VOTES_FILTERED_BY and value else {}
        yield GroupRow(
            value=value,
            query=captures_query(period, **named),
            captures=captures,
            tokens=tokens,
            tokens_cover=part_of(counted, captures),
            parts=tuple(bar(token_parts(sums), largest)),
            cost=computed(sums, "≥ "),
            cost_lacks=not_in_it(sums),
            cost_covers=part_of(sums[Measure.COST_COMPUTED].captures, captures),
            stated=money(sums, Measure.COST_STATED),
            stated_covers=part_of(sums[Measure.COST_STATED].captures, captures),
            differs=sums[Measure.COST_DIFFERS].captures,
            first_p50=sums.percentile(Measure.FIRST_TOKEN_US, 0.5),
            first_p95=sums.percentile(Measure.FIRST_TOKEN_US, 0.95),
            duration_p50=sums.percentile(Measure.DURATION_US, 0.5),
            complete=share(sums[Measure.VERDICT, Verdict.COMPLETE].captures, captures),
            reported=share(sums[Measure.USAGE_REPORTED].captures, captures),
            negative=votes.get(value),
            votes_query=urlencode({**voted, **between(period)}) if voted else "",
        )


def part_of(told: int, captures: int) -> str:
    return share(told, captures) if told < captures else ""


def bar(parts: Parts, largest: int) -> Iterator[tuple[str, str, str]]:
    at = 0
    for part in parts:
        if part.size:
            yield part.tone, f"{at / largest:.4%}", f"{part.size / largest:.4%}"
            at += part.size
