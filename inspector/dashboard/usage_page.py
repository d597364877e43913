"""The usage of a team in one period: a sentence that says what it covers, drawings, and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from inspector.dashboard.interval import Interval
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_charts import (
    Chart,
    columns_chart,
    curves_chart,
    token_parts,
    verdict_parts,
    wholes,
)
from inspector.dashboard.usage_cost import (
    CostRow,
    cost_chart,
    cost_coverage,
    cost_rows,
    table_rows,
    unknown_rows,
)
from inspector.dashboard.usage_groups import GroupRow, group_rows
from inspector.dashboard.usage_words import change_of, counted, money, seconds, share, short
from inspector.usage.cost import COMPUTED
from inspector.usage.periods import Period
from inspector.usage.queries import Sums, TeamSums, added
from inspector.usage.share import (
    CAPTURES,
    CONTRADICTING,
    FINISH,
    REPORTED,
    STREAMED,
    TOO_LARGE,
    UNCOUNTED,
    VERDICT,
)

MOST_GROUPS = 50
MOST_FINISHES = 50
BY_WORDS = {
    "model": "model answered",
    "request_model": "model asked",
    "vendor": "vendor",
    "dialect": "dialect",
    "key": "API key",
    "service_tier": "service tier",
    "fingerprint": "fingerprint",
}
FIRST_TOKEN: Mapping[str, Callable[[Sums], int | None]] = {
    name: partial(Sums.percentile, name="first_token_us", share=share)
    for name, share in (("p99", 0.99), ("p95", 0.95), ("p50", 0.5))
}
WHOLES = frozenset({"prompt_tokens", "completion_tokens", "total_tokens"})
ROW_NAMES = {
    "prompt_tokens": "prompt",
    "cached_tokens": "cached",
    "prompt_cache_hit_tokens": "cache hit",
    "prompt_cache_miss_tokens": "cache miss",
    "cache_write_tokens": "cache write",
    "prompt_text_tokens": "text",
    "prompt_image_tokens": "image",
    "prompt_audio_tokens": "audio",
    "completion_tokens": "completion",
    "reasoning_tokens": "reasoning",
    "completion_text_tokens": "text",
    "completion_image_tokens": "image",
    "completion_audio_tokens": "audio",
    "accepted_prediction_tokens": "accepted prediction",
    "rejected_prediction_tokens": "rejected prediction",
    "total_tokens": "total, as stated",
}


@dataclass(frozen=True, slots=True)
class Row:
    """``said`` in words where nobody told it; ``captures`` is how many did."""

    name: str
    depth: int
    said: str
    captures: int
    change: str


@dataclass(frozen=True, slots=True)
class UsagePage:
    lead: str
    coverage: tuple[str, ...]
    tokens: Chart
    verdicts: Chart
    first_token: Chart
    observed: str
    """How many captures the first-token times are of."""
    parts: tuple[Row, ...]
    totals_differ: str
    """Why the total that is stated is not the sum of prompt and completion; empty where it is."""
    never_sent: tuple[str, ...]
    cost: Chart
    costs: tuple[CostRow, ...]
    price_tables: tuple[tuple[str, int, str], ...]
    unknown: tuple[tuple[str, int, str], ...]
    """Why costs are not known: the reason, how many captures, and their share."""
    finishes: tuple[tuple[str, int, str], ...]
    other_finishes: int
    """Finish reasons beyond those that are listed."""
    verdict_rows: tuple[tuple[str, int, str], ...]
    groups: tuple[GroupRow, ...]
    others: int
    """Groups beyond those that are listed."""


def usage_page(
    sums: TeamSums, period: Period, by: str, compares: bool, votes: Mapping[str, Interval]
) -> UsagePage:
    """``votes``: the negative rate of each group that anybody voted on."""
    groups = sums.groups(period, by)
    slots = sums.slots(period)
    befores = sums.slots(period.before) if compares else {}
    every, before = added(slots.values()), added(befores.values())
    finishes = counted(every.under(FINISH), every[CAPTURES].captures)
    return UsagePage(
        lead=lead(every),
        coverage=tuple(coverage(every)),
        tokens=columns_chart(period, slots, befores, token_parts, short),
        verdicts=columns_chart(period, slots, befores, verdict_parts, short),
        first_token=curves_chart(period, slots, FIRST_TOKEN, seconds),
        observed=observed(every),
        parts=tuple(part_rows(every, before)),
        totals_differ=totals_differ(every),
        never_sent=tuple(never_sent(every)),
        cost=cost_chart(period, slots, befores),
        costs=tuple(cost_rows(every, before)),
        price_tables=table_rows(every),
        unknown=unknown_rows(every),
        finishes=finishes[:MOST_FINISHES],
        other_finishes=max(0, len(finishes) - MOST_FINISHES),
        verdict_rows=counted(every.under(VERDICT), every[CAPTURES].captures),
        groups=tuple(group_rows(groups[:MOST_GROUPS], by, period, votes)),
        others=max(0, len(groups) - MOST_GROUPS),
    )


# -- in words -------------------------------------------------------------------------------------


def lead(every: Sums) -> str:
    if not every[CAPTURES].captures:
        return "No captures in this period."
    tokens = f"{short(sum(wholes(every)))} tokens" if every[REPORTED].captures else "No usage"
    cost = money(every, COMPUTED)
    sums = f"{tokens} and {cost}" if cost else tokens
    return f"{sums} in {plural(every[CAPTURES].captures, 'capture')}."


def coverage(every: Sums) -> Iterator[str]:
    captures, reported = every[CAPTURES].captures, every[REPORTED].captures
    if not captures:
        return
    yield f"Usage is reported by {share(reported, captures)} of them"
    silent = every.under(UNCOUNTED)
    if silent:
        listed = ", ".join(f"{number:,} {verdict}" for verdict, number in silent.items())
        yield f"sent none: {listed}, so the true sum is higher"
    for name, number in every.under(TOO_LARGE).items():
        yield f"{plural(number, 'capture')} state {name} that no model reaches; they are not added"
    for name, number in every.under(CONTRADICTING).items():
        stated = f"{plural(number, 'capture')} state more {name} than what they are part of"
        yield f"{stated}; they are not added"
    yield from cost_coverage(every)


def observed(every: Sums) -> str:
    told = sum(every.under("first_token_us ").values())
    return f"Streamed captures with a recorded clock: {told:,} of {every[STREAMED].captures:,}"


# -- tables ---------------------------------------------------------------------------------------


def part_rows(every: Sums, before: Sums) -> Iterator[Row]:
    """The wholes, and the parts that anybody sent."""
    for name, said in ROW_NAMES.items():
        amount, is_whole = every[name], name in WHOLES
        if is_whole or amount.captures:
            told = short(amount.total) if amount.captures else "never sent"
            change = change_of(amount.total, before.total(name))
            yield Row(said, 0 if is_whole else 1, told, amount.captures, change)


def totals_differ(every: Sums) -> str:
    stated, added_up = every["total_tokens"], sum(wholes(every))
    if not stated.captures or stated.total == added_up:
        return ""
    return (
        f"The totals of {plural(stated.captures, 'capture')} say {stated.total:,};"
        f" prompt and completion add up to {added_up:,}, in {every[REPORTED].captures:,}"
    )


def never_sent(every: Sums) -> Iterator[str]:
    for name, said in ROW_NAMES.items():
        if name not in WHOLES and not every[name].captures:
            whole = name.partition("_")[0]
            yield f"{whole} {said}" if whole in ("prompt", "completion") else said
