"""The usage page of a team and period: a coverage sentence, charts, and folded tables."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from inspector.dashboard.charts.axis import drawn_period, short_slot, time_axis
from inspector.dashboard.charts.chart import (
    Chart,
    ColumnParts,
    ColumnStack,
    columns_chart,
    curves_chart,
)
from inspector.dashboard.usage.chart_parts import (
    finish_parts,
    finish_reason_tones,
    token_headings,
    token_parts,
    token_total,
    verdict_parts,
)
from inspector.dashboard.usage.cost_chart import cost_chart
from inspector.dashboard.usage.cost_table import (
    UnknownRow,
    UsageCostRow,
    cost_coverage_clauses,
    cost_known_words,
    cost_rows,
    price_table_rows,
    unknown_cost_rows,
)
from inspector.dashboard.usage.group_table import slot_query
from inspector.dashboard.usage.token_table import (
    TokenCountRow,
    fields_never_sent,
    token_count_rows,
    totals_differ,
)
from inspector.dashboard.usage.wording import legible_cost, rows_with_share
from inspector.formatting.humanize import plural, share, short_number, short_time
from inspector.usage.measures import Measure
from inspector.usage.rollup.listed_cost import ListedCost
from inspector.usage.rollup.periods import Period
from inspector.usage.rollup.queries import MeasureSums, TeamSums, merge_sums

MAX_FINISH_REASONS = 50
"""Any text that a server sends is one; further ones are counted."""
FINISHES_BESIDE, TABLES_BESIDE = 8, 4
"""Rows that fit beside a chart; further ones are folded."""
NAMED_VERDICTS = 2
"""It is one sentence; the others are one number."""
GROUPING_LABELS = {
    "model": "model",
    "request_model": "model requested",
    "vendor": "vendor",
    "dialect": "format",
    "key": "key",
    "service_tier": "service tier",
    "fingerprint": "fingerprint",
    "tag": "tag",
    "session": "session",
}
TOKEN_WORDS = {"cached": "cached", "prompt": "prompt", "reasoning": "reasoning", "content": "rest"}
"""By tone, for a legend that stands beside its title."""
PERCENTILES = (("p99", 0.99), ("p95", 0.95), ("p50", 0.5))
VERDICTS = ColumnStack(verdict_parts, short_number)

Finishes = tuple[tuple[str, int, str], ...]
"""Finish reason, captures, and their share."""


@dataclass(frozen=True, slots=True)
class UsagePage:
    headline: str
    has_captures: bool
    """Whether there is anything to draw."""
    has_before: bool
    """True if the period is compared and the one before it has captures."""
    nothing_before: str
    """The first time that anything came; empty where the axis leaves nothing out."""
    known: str
    """How many captures have a known cost; empty without captures."""
    coverage: tuple[str, ...]
    excluded: tuple[str, ...]
    tokens: Chart
    token_parts: tuple[tuple[str, str, str], ...]
    """Tone, word and label of each part, for the legend."""
    verdicts: Chart
    drawn_verdicts: ColumnParts
    """Kinds of verdicts of the whole period, for the legend."""
    endings: Chart
    drawn_finishes: ColumnParts
    """Finish reasons of the whole period, for the legend."""
    first_token: Chart
    first_observed: str
    """Number of captures that have a first-token time."""
    duration: Chart
    duration_observed: str
    parts: tuple[TokenCountRow, ...]
    totals_differ: str
    """Why stated totals differ from prompt plus completion; empty if they do not."""
    never_sent: tuple[str, ...]
    cost: Chart
    is_cost_partial: bool
    """True if the cost excludes captures or billed items."""
    costs: tuple[UsageCostRow, ...]
    price_tables: tuple[tuple[str, int, str], ...]
    unknown: tuple[UnknownRow, ...]
    finishes: tuple[Finishes, ...]
    """Visible rows, and folded rows if there are any."""
    other_finishes: int
    """Number of finish reasons beyond the limit."""
    further_finishes: int
    """Captures with finish reasons that are not counted individually: 200 of a team and day are."""
    verdict_rows: tuple[tuple[str, int, str], ...]

    @property
    def has_few_tables(self) -> bool:
        return len(self.price_tables) <= TABLES_BESIDE


def build_usage_page(
    sums: TeamSums, period: Period, has_comparison: bool, now: datetime
) -> UsagePage:
    """Build the page but for its table of groups."""
    slots = sums.slots(period)
    befores = sums.slots(period.before) if has_comparison else {}
    every, before = merge_sums(slots.values()), merge_sums(befores.values())
    captures = every[Measure.CAPTURES].captures
    finishes = rows_with_share(every.by_value(Measure.FINISH_REASON), captures)
    drawn = period if sums.has_before(period) else drawn_period(period, slots)
    axis = time_axis(drawn, slot_query, now)
    heads = token_headings(every)
    stack = ColumnStack(token_parts, short_number, heads=heads, without=None)
    ended = partial(finish_parts, drawn=finish_reason_tones(every))
    return UsagePage(
        headline=headline(every),
        nothing_before="" if drawn == period else short_slot(period, min(slots)),
        has_captures=bool(captures),
        has_before=bool(before[Measure.CAPTURES].captures),
        known=cost_known_words(every).capitalize() if captures else "",
        coverage=tuple(coverage_clauses(every)),
        excluded=tuple(excluded_clauses(every)),
        tokens=columns_chart(axis, slots, befores, stack),
        token_parts=tuple((tone, TOKEN_WORDS[tone], label) for tone, label in heads.items()),
        verdicts=columns_chart(axis, slots, befores, VERDICTS),
        drawn_verdicts=verdict_parts(every),
        # A capture with several choices can count towards several finish reasons.
        endings=columns_chart(
            axis, slots, befores, ColumnStack(ended, short_number, total="finish reasons")
        ),
        drawn_finishes=ended(every),
        first_token=curves_chart(
            axis, slots, percentile_curves(Measure.FIRST_TOKEN_US), short_time
        ),
        first_observed=observed_words(
            every, Measure.FIRST_TOKEN_US, every[Measure.STREAMED].captures
        ),
        duration=curves_chart(axis, slots, percentile_curves(Measure.DURATION_US), short_time),
        duration_observed=observed_words(every, Measure.DURATION_US, captures),
        parts=tuple(token_count_rows(every, before)),
        totals_differ=totals_differ(every),
        never_sent=tuple(fields_never_sent(every)),
        cost=cost_chart(axis, slots, befores),
        is_cost_partial=ListedCost.of(every).is_least,
        costs=tuple(cost_rows(every, before)),
        price_tables=price_table_rows(every),
        unknown=unknown_cost_rows(every),
        finishes=split_finishes(finishes[:MAX_FINISH_REASONS]),
        other_finishes=max(0, len(finishes) - MAX_FINISH_REASONS),
        further_finishes=every[Measure.FURTHER_FINISH_REASONS].captures,
        verdict_rows=rows_with_share(every.by_value(Measure.VERDICT), captures),
    )


def split_finishes(finishes: Finishes) -> tuple[Finishes, ...]:
    shown, rest = finishes[:FINISHES_BESIDE], finishes[FINISHES_BESIDE:]
    return (shown, rest) if rest else (shown,)


# -- in words -------------------------------------------------------------------------------------


def headline(every: MeasureSums) -> str:
    if not every[Measure.CAPTURES].captures:
        return "$0 for no captures."
    known, _ = token_total(every)
    unknown = "No token counts" if every[Measure.USAGE_REPORTED].captures else "No usage"
    tokens = unknown if known is None else f"{short_number(known)} tokens"
    cost, captures = legible_cost(every), plural(every[Measure.CAPTURES].captures, "capture")
    return f"{cost} for {captures} and {tokens}." if cost else f"{tokens}, {captures}."


def coverage_clauses(every: MeasureSums) -> Iterator[str]:
    """Clauses on what the sums cover; brief, because tables give the details."""
    captures, reported = every[Measure.CAPTURES].captures, every[Measure.USAGE_REPORTED].captures
    if not captures:
        return
    yield f"tokens known for {share(reported, captures)}"
    if without := every.by_value(Measure.NO_USAGE):
        numbers = [f"{number:,} {verdict}" for verdict, number in without.items()]
        others = sum([*without.values()][NAMED_VERDICTS:])
        rest = [f"{others:,} others"] if others else []
        yield f"no usage from {', '.join([*numbers[:NAMED_VERDICTS], *rest])}"
    yield from cost_coverage_clauses(every)


def excluded_clauses(every: MeasureSums) -> Iterator[str]:
    """Clauses on counts excluded from all sums."""
    for name, number in every.by_value(Measure.TOO_LARGE).items():
        states = plural(number, "capture states", "captures state")
        yield f"{states} an implausible number of {name}; not added"
    for name, number in every.by_value(Measure.CONTRADICTING).items():
        states = plural(number, "capture states", "captures state")
        yield f"{states} more {name} than the count that includes them; not added"


def observed_words(every: MeasureSums, name: Measure, captures: int) -> str:
    """Return the number of captures that have this time; empty if all have."""
    found = every.observed(name)
    return "" if found == captures else f"{found:,} of {captures:,}"


def percentile_curves(name: Measure) -> Mapping[str, Callable[[MeasureSums], int | None]]:
    return {
        rank: partial(MeasureSums.percentile, name=name, share=share) for rank, share in PERCENTILES
    }
