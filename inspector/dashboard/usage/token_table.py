"""Token table of a period: totals, their parts, and remainders."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspector.core.formats.usage_table import DOCUMENTED_COUNTS
from inspector.dashboard.usage.chart_parts import (
    is_reported_by_all,
    prompt_and_completion_totals,
    reported_amount,
    tokens,
)
from inspector.dashboard.usage.wording import relative_change
from inspector.formatting.humanize import plural, short_number
from inspector.usage.measures import Measure
from inspector.usage.rollup.queries import MeasureSums

ROW_NAMES = {
    "prompt_tokens": "prompt",
    "cached_tokens": "cached",
    "prompt_cache_hit_tokens": "cache hit",
    "prompt_cache_miss_tokens": "cache miss",
    "cached_image_tokens": "cached image",
    "cached_audio_tokens": "cached audio",
    "cache_write_tokens": "cache write",
    "cache_write_5m_tokens": "cache write for 5 minutes",
    "cache_write_1h_tokens": "cache write for an hour",
    "prompt_text_tokens": "text",
    "prompt_image_tokens": "image",
    "prompt_audio_tokens": "audio",
    "prompt_video_tokens": "video",
    "completion_tokens": "completion",
    "reasoning_tokens": "reasoning",
    "completion_text_tokens": "text",
    "completion_image_tokens": "image",
    "completion_audio_tokens": "audio",
    "completion_video_tokens": "video",
    "accepted_prediction_tokens": "accepted prediction",
    "rejected_prediction_tokens": "rejected prediction",
}
WHOLES = frozenset({"prompt_tokens", "completion_tokens"})
TONES = {"cached_tokens": "cached", "reasoning_tokens": "reasoning"}
"""Tones of the parts that are drawn in the chart."""
NEVER_SENT = "never sent"


@dataclass(frozen=True, slots=True)
class TokenCountRow:
    """``amount`` is a word if unreported; ``captures`` is the number that report the count, None
    for a remainder. ``tone`` is its colour in the chart, if any.
    """

    name: str
    depth: int
    amount: str
    captures: int | None
    change: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class TokenRemainder:
    """Remainder of a total after its drawn part."""

    whole: str
    name: str
    tone: str
    counted_outside: str
    """The count that some vendors report outside the total."""


REMAINDERS = {
    "cached_tokens": TokenRemainder("prompt_tokens", "not cached", "prompt", "prompt_audio_tokens"),
    "reasoning_tokens": TokenRemainder("completion_tokens", "other", "content", "reasoning_tokens"),
}
REMAINDER_BY_WHOLE = {rest.whole: rest for rest in REMAINDERS.values()}


def token_count_rows(every: MeasureSums, before: MeasureSums) -> Iterator[TokenCountRow]:
    """Yield the totals, the documented parts, and other parts that any capture reports."""
    for name in ROW_NAMES:
        if name in WHOLES or name in DOCUMENTED_COUNTS or tokens(name, every).captures:
            yield _row(name, every, before)
        if rest := remainder_of(name, every):
            past = remainder_of(name, before)
            has_same_name = past is not None and past[0] == rest[0]
            change = relative_change(rest[1], past[1]) if past and has_same_name else ""
            yield TokenCountRow(
                rest[0], 1, short_number(rest[1]), None, change, REMAINDERS[name].tone
            )


def remainder_of(part: str, sums: MeasureSums) -> tuple[str, int] | None:
    """Name and size of the remainder; None if part and total cover different captures."""
    rest = REMAINDERS.get(part)
    amount = reported_amount(part, sums)
    if rest is None or not amount.captures or sums[Measure.TOO_LARGE, rest.whole].captures:
        return None
    left = _token_count(rest.whole, sums) - amount.total
    if amount.captures > tokens(rest.whole, sums).captures or left < 0:
        return None
    is_exact = is_reported_by_all(part, rest.whole, sums)
    return rest.name if is_exact else f"{rest.name} or not reported", left


def totals_differ(every: MeasureSums) -> str:
    stated, added_up = tokens("total_tokens", every), sum(prompt_and_completion_totals(every))
    if not stated.captures or stated.total == added_up:
        return ""
    reported = every[Measure.USAGE_REPORTED].captures
    return (
        f"The stated totals of {plural(stated.captures, 'capture')} add up to {stated.total:,};"
        f" prompt and completion of {reported:,} add up to {added_up:,}"
    )


def fields_never_sent(every: MeasureSums) -> Iterator[str]:
    """Names of the counts without a row."""
    for name, words in ROW_NAMES.items():
        if name not in DOCUMENTED_COUNTS and not tokens(name, every).captures:
            whole = name.partition("_")[0]
            yield f"{whole} {words}" if whole in ("prompt", "completion") else words


def _row(name: str, every: MeasureSums, before: MeasureSums) -> TokenCountRow:
    captures = reported_amount(name, every).captures
    row = TokenCountRow(
        _row_name(name, every),
        int(name not in WHOLES),
        NEVER_SENT,
        captures,
        "",
        TONES.get(name, ""),
    )
    if not captures:
        return row
    past = _token_count(name, before) if reported_amount(name, before).captures else None
    size = _token_count(name, every)
    return replace(row, amount=short_number(size), change=relative_change(size, past))


def _row_name(name: str, sums: MeasureSums) -> str:
    if sums[Measure.OTHER_NAME, name].captures:
        return f"{ROW_NAMES[name]}, under either name"
    rest, words = REMAINDER_BY_WHOLE.get(name), ROW_NAMES[name]
    if rest is None or not sums[Measure.COUNTED_OUTSIDE, rest.counted_outside].captures:
        return words
    return f"{words} ({ROW_NAMES[rest.counted_outside]} counted separately)"


def _token_count(name: str, sums: MeasureSums) -> int:
    """Total including what some vendors report outside it, as drawn in the chart."""
    rest = REMAINDER_BY_WHOLE.get(name)
    outside = sums[Measure.COUNTED_OUTSIDE, rest.counted_outside].total if rest else 0
    return reported_amount(name, sums).total + outside
