"""The usage of a team in one period: a sentence that says what it covers, drawings, and a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from urllib.parse import urlencode

from inspector.dashboard.strip import written
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_charts import (
    Chart,
    Parts,
    columns_chart,
    curves_chart,
    token_parts,
    verdict_parts,
    wholes,
)
from inspector.usage.periods import Period
from inspector.usage.queries import Group, Sums, TeamSums, added
from inspector.usage.share import (
    CAPTURES,
    FINISH,
    PICODOLLARS,
    REPORTED,
    STATED_COST,
    STREAMED,
    TOKENS,
    TOO_LARGE,
    UNCOUNTED,
    VERDICT,
)

MOST_GROUPS = 50
BY_WORDS = {
    "model": "model answered",
    "request_model": "model asked",
    "vendor": "vendor",
    "dialect": "dialect",
    "key": "API key",
    "service_tier": "service tier",
    "fingerprint": "fingerprint",
}
FILTERED_BY = ("model", "vendor", "dialect")
"""Groups whose name is a filter of the archive's too: they lead to their captures."""
FIRST_TOKEN: Mapping[str, Callable[[Sums], int | None]] = {
    name: partial(Sums.percentile, name="first_token_us", share=share)
    for name, share in (("p99", 0.99), ("p95", 0.95), ("p50", 0.5))
}
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
    "total_tokens": "total",
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
class GroupRow:
    value: str
    query: str
    captures: int
    tokens: int
    parts: tuple[tuple[str, str, str], ...]
    """Tone, place and width in percent of the largest."""
    stated: str
    first_p50: int | None
    first_p95: int | None
    duration_p50: int | None
    complete: str
    reported: str


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
    money: tuple[Row, ...]
    finishes: tuple[tuple[str, int, str], ...]
    verdict_rows: tuple[tuple[str, int, str], ...]
    groups: tuple[GroupRow, ...]
    others: int
    """Groups beyond those that are listed."""


def usage_page(sums: TeamSums, period: Period, by: str, compares: bool) -> UsagePage:
    groups = sums.groups(period, by)
    slots = sums.slots(period)
    befores = sums.slots(period.before) if compares else {}
    every, before = added(slots.values()), added(befores.values())
    return UsagePage(
        lead=lead(every),
        coverage=tuple(coverage(every)),
        tokens=columns_chart(period, slots, befores, token_parts, short),
        verdicts=columns_chart(period, slots, befores, verdict_parts, short),
        first_token=curves_chart(period, slots, FIRST_TOKEN, seconds),
        observed=observed(every),
        parts=tuple(part_rows(every, before)),
        money=tuple(money_rows(every, before)),
        finishes=counted(every.under(FINISH), every[CAPTURES].captures),
        verdict_rows=counted(every.under(VERDICT), every[CAPTURES].captures),
        groups=tuple(group_rows(groups[:MOST_GROUPS], by, period)),
        others=max(0, len(groups) - MOST_GROUPS),
    )


def captures_query(period: Period, **more: str) -> str:
    """Of the archive's list: the captures of a period."""
    between = {"since": written(period.start), "until": written(period.end)}
    return urlencode({**more, **between})


def slot_query(start: datetime, end: datetime) -> str:
    length = int((end - start) / timedelta(seconds=1))
    return captures_query(Period(start, end, length))


# -- in words -------------------------------------------------------------------------------------


def lead(every: Sums) -> str:
    if not every[CAPTURES].captures:
        return "No captures in this period."
    tokens = f"{short(sum(wholes(every)))} tokens" if every[REPORTED].captures else "No usage"
    return f"{tokens} in {plural(every[CAPTURES].captures, 'capture')}."


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
    stated = every[STATED_COST].captures
    if stated:
        yield f"a cost is stated by {share(stated, captures)}: {dollars(every[STATED_COST].total)}"
    else:
        yield "none states a cost"


def observed(every: Sums) -> str:
    told = sum(every.under("first_token_us ").values())
    return f"Streamed captures with a recorded clock: {told:,} of {every[STREAMED].captures:,}"


def share(part: int, whole: int) -> str:
    """Only all of them are 100 %, and only none are 0 %."""
    if part in (0, whole) or not whole:
        return "100 %" if part else "0 %"
    return f"{min(max(round(100 * part / whole), 1), 99)} %"


def short(number: int) -> str:
    """``1,846``, ``39.5 M``: three figures from a hundred thousand on."""
    for power, unit in ((10**12, "T"), (10**9, "G"), (10**6, "M")):
        if number >= 100 * power:
            return f"{number // power} {unit}"
        if number >= power:
            return f"{number / power:.1f} {unit}"
    return f"{number:,}" if number < 100_000 else f"{number // 1000} k"


def seconds(us: int) -> str:
    return f"{us / 1_000_000:.2f} s"


def dollars(picodollars: int) -> str:
    """To the ten-thousandth of a cent; what is less is shown whole."""
    amount = Decimal(picodollars) / PICODOLLARS
    if amount and amount < Decimal("0.000001"):
        return f"${amount:f}"
    return f"${amount:,.6f}".rstrip("0").rstrip(".") if amount < 1 else f"${amount:,.2f}"


# -- tables ---------------------------------------------------------------------------------------


def part_rows(every: Sums, before: Sums) -> Iterator[Row]:
    for name in sorted(TOKENS, key=list(ROW_NAMES).index):
        amount = every[name]
        depth = 0 if name in ("prompt_tokens", "completion_tokens", "total_tokens") else 1
        said = short(amount.total) if amount.captures else "never sent"
        change = change_of(amount.total, before.total(name))
        yield Row(ROW_NAMES[name], depth, said, amount.captures, change)


def money_rows(every: Sums, before: Sums) -> Iterator[Row]:
    stated = every[STATED_COST]
    said = dollars(stated.total) if stated.captures else "never sent"
    yield Row(
        "stated by vendors",
        0,
        said,
        stated.captures,
        change_of(stated.total, before.total(STATED_COST)),
    )


def change_of(now: int, before: int | None) -> str:
    """Against the period before; nothing where that had none."""
    return f"{(now - before) / before:+.0%}".replace("%", " %") if before else ""


def counted(numbers: Mapping[str, int], captures: int) -> tuple[tuple[str, int, str], ...]:
    return tuple((name, number, share(number, captures)) for name, number in numbers.items())


def group_rows(groups: tuple[Group, ...], by: str, period: Period) -> Iterator[GroupRow]:
    largest = max((sum(wholes(group.sums)) for group in groups), default=0) or 1
    for group in groups:
        sums = group.sums
        captures = sums[CAPTURES].captures
        named = {by: group.value} if by in FILTERED_BY and group.value else {}
        yield GroupRow(
            value=group.value or "",
            query=captures_query(period, **named) if named else "",
            captures=captures,
            tokens=sum(wholes(sums)),
            parts=tuple(bar(token_parts(sums), largest)),
            stated=dollars(sums[STATED_COST].total) if sums[STATED_COST].captures else "",
            first_p50=sums.percentile("first_token_us", 0.5),
            first_p95=sums.percentile("first_token_us", 0.95),
            duration_p50=sums.percentile("duration_us", 0.5),
            complete=share(sums[f"{VERDICT}complete"].captures, captures),
            reported=share(sums[REPORTED].captures, captures),
        )


def bar(parts: Parts, largest: int) -> Iterator[tuple[str, str, str]]:
    at = 0
    for tone, size in parts:
        if size:
            yield tone, f"{at / largest:.4%}", f"{size / largest:.4%}"
            at += size
