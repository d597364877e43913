"""The usage of a team in one period: a sentence that says what it covers, drawings, and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from inspector.archive.database import TookTooLong
from inspector.dashboard.axis import axis_of
from inspector.dashboard.chart import Chart, Parts, Stack, columns_chart, curves_chart
from inspector.dashboard.cost_chart import cost_chart, lacks
from inspector.dashboard.interval import Interval
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_cost import (
    CostRow,
    UnknownRow,
    cost_coverage,
    cost_rows,
    table_rows,
    unknown_rows,
)
from inspector.dashboard.usage_groups import GroupRow, group_rows, slot_query
from inspector.dashboard.usage_parts import (
    drawn_finishes,
    finish_parts,
    token_heads,
    token_parts,
    tokens_of,
    verdict_parts,
)
from inspector.dashboard.usage_rows import Row, never_sent, part_rows, totals_differ
from inspector.dashboard.usage_words import counted, rounded_cost, seconds, share, short
from inspector.usage.periods import Period
from inspector.usage.queries import Groups, Sums, TeamSums, added
from inspector.usage.tables import TOO_LONG

MOST_GROUPS = 50
MOST_FINISHES = 50
FINISHES_BESIDE, TABLES_BESIDE = 8, 4
"""Rows that a drawing has room for beside it; more are folded."""
NAMED_VERDICTS = 2
BY_WORDS = {
    "model": "model answered",
    "request_model": "model requested",
    "vendor": "vendor",
    "dialect": "dialect",
    "key": "API key",
    "service_tier": "service tier",
    "fingerprint": "fingerprint",
}
TALL = 260
"""The drawing that everybody looks at first, and has a long table beside it."""
RANKS = (("p99", 0.99), ("p95", 0.95), ("p50", 0.5))
VERDICTS = Stack(verdict_parts, short)

Finishes = tuple[tuple[str, int, str], ...]
"""Each with its captures and their share."""


@dataclass(frozen=True, slots=True)
class UsagePage:
    lead: str
    coverage: tuple[str, ...]
    left_out: tuple[str, ...]
    tokens: Chart
    token_parts: tuple[tuple[str, str], ...]
    """The tone of each and what it is called, for the legend."""
    verdicts: Chart
    endings: Chart
    drawn_finishes: Parts
    """Of all of the period, for the legend."""
    first_token: Chart
    first_observed: str
    """How many captures the first-token times are of."""
    duration: Chart
    duration_observed: str
    parts: tuple[Row, ...]
    totals_differ: str
    """Why the total that is stated is not the sum of prompt and completion; empty where it is."""
    never_sent: tuple[str, ...]
    cost: Chart
    cost_lacks: bool
    """Whether something billed is in no cost."""
    costs: tuple[CostRow, ...]
    price_tables: tuple[tuple[str, int, str], ...]
    unknown: tuple[UnknownRow, ...]
    finishes: tuple[Finishes, ...]
    """Those that stand open, and those that are folded, if any are."""
    other_finishes: int
    """Finish reasons beyond those that are listed."""
    further_finishes: int
    """Captures with some that are not told apart."""
    verdict_rows: tuple[tuple[str, int, str], ...]
    groups: tuple[GroupRow, ...]
    others: int
    """Groups beyond those that are listed."""
    not_grouped: str
    """Why there are none; empty where there are."""

    @property
    def has_few_tables(self) -> bool:
        return len(self.price_tables) <= TABLES_BESIDE


def usage_page(
    sums: TeamSums,
    period: Period,
    by: str,
    compares: bool,
    votes: Mapping[str, Interval],
    now: datetime,
) -> UsagePage:
    """``votes``: the negative rate of each group that anybody voted on."""
    groups = groups_of(sums, period, by)
    slots = sums.slots(period)
    befores = sums.slots(period.before) if compares else {}
    every, before = added(slots.values()), added(befores.values())
    finishes = counted(every.by_value(Measure.FINISH_REASON), every[Measure.CAPTURES].captures)
    axis = axis_of(period, slot_query, now)
    heads = token_heads(every)
    stack = Stack(token_parts, short, heads=heads, without=None, height=TALL)
    ended = partial(finish_parts, drawn=drawn_finishes(every))
    return UsagePage(
        lead=lead(every),
        coverage=tuple(coverage(every)),
        left_out=tuple(left_out(every)),
        tokens=columns_chart(axis, slots, befores, stack),
        token_parts=tuple(heads.items()),
        verdicts=columns_chart(axis, slots, befores, VERDICTS),
        endings=columns_chart(axis, slots, befores, endings(ended)),
        drawn_finishes=ended(every),
        first_token=curves_chart(axis, slots, percentiles(Measure.FIRST_TOKEN_US), seconds),
        first_observed=observed(every, Measure.FIRST_TOKEN_US, every[Measure.STREAMED].captures),
        duration=curves_chart(axis, slots, percentiles(Measure.DURATION_US), seconds),
        duration_observed=observed(every, Measure.DURATION_US, every[Measure.CAPTURES].captures),
        parts=tuple(part_rows(every, before)),
        totals_differ=totals_differ(every),
        never_sent=tuple(never_sent(every)),
        cost=cost_chart(axis, slots, befores),
        cost_lacks=lacks(every),
        costs=tuple(cost_rows(every, before)),
        price_tables=table_rows(every),
        unknown=unknown_rows(every),
        finishes=folded(finishes[:MOST_FINISHES]),
        other_finishes=max(0, len(finishes) - MOST_FINISHES),
        further_finishes=every[Measure.FURTHER_FINISH_REASONS].captures,
        verdict_rows=counted(every.by_value(Measure.VERDICT), every[Measure.CAPTURES].captures),
        groups=tuple(group_rows(groups.listed, by, period, votes)) if groups else (),
        others=groups.others if groups else 0,
        not_grouped="" if groups else TOO_LONG,
    )


def folded(finishes: Finishes) -> tuple[Finishes, ...]:
    open, rest = finishes[:FINISHES_BESIDE], finishes[FINISHES_BESIDE:]
    return (open, rest) if rest else (open,)


def groups_of(sums: TeamSums, period: Period, by: str) -> Groups | None:
    """None where it takes too long; all the rest is known without them."""
    try:
        return sums.groups(period, by, MOST_GROUPS)
    except TookTooLong:
        return None


# -- in words -------------------------------------------------------------------------------------


def lead(every: Sums) -> str:
    if not every[CAPTURES].captures:
        return "No analysed captures in this period."
    known, _ = tokens_of(every)
    unknown = "No token counts" if every[Measure.USAGE_REPORTED].captures else "No usage"
    tokens = unknown if known is None else f"{short(known)} tokens"
    cost = rounded_cost(every)
    sums = f"{tokens}, {cost}" if cost else tokens
    return f"{sums}, {plural(every[CAPTURES].captures, 'capture')}."


def coverage(every: Sums) -> Iterator[str]:
    """What the sums are of; what they are not of is said in short, for tables tell it in full."""
    captures, reported = every[Measure.CAPTURES].captures, every[Measure.USAGE_REPORTED].captures
    if not captures:
        return
    yield f"tokens known for {share(reported, captures)}"
    silent = every.under(UNCOUNTED)
    if silent:
        named = [f"{number:,} {verdict}" for verdict, number in silent.items()]
        others = sum([*silent.values()][NAMED_VERDICTS:])
        listed = ", ".join([*named[:NAMED_VERDICTS], *([f"{others:,} others"] if others else [])])
        yield f"no usage from {listed}"
    if unread := every[NOT_READ].captures:
        yield f"{unread:,} in formats whose usage is not parsed"
    yield from cost_coverage(every)


def left_out(every: Sums) -> Iterator[str]:
    """Counts that stand in no sum."""
    for name, number in every.by_value(Measure.TOO_LARGE).items():
        told = plural(number, "capture states", "captures state")
        yield f"{told} an impossible number of {name}; they are not added"
    for name, number in every.under(CONTRADICTING).items():
        told = plural(number, "capture states", "captures state")
        yield f"{told} more {name} than the count that includes them; they are not added"


def observed(every: Sums, name: Measure, captures: int) -> str:
    """Of how many captures a time is."""
    return f"{every.observed(name):,} of {captures:,}"


def endings(parts_of: Callable[[Sums], Parts]) -> Stack[Sums]:
    """A capture whose choices end differently gives several reasons."""
    return Stack(parts_of, short, total="finish reasons")


def percentiles(name: Measure) -> Mapping[str, Callable[[Sums], int | None]]:
    return {rank: partial(Sums.percentile, name=name, share=share) for rank, share in RANKS}
