"""Column parts of the usage charts: tokens, verdicts, finish reasons."""

from collections.abc import Iterator, Mapping, Sequence

from inspector.core.fields.finish_reasons import CALLING, ORDINARY, finish_meanings
from inspector.core.formats.finish_meaning import FinishMeaning
from inspector.dashboard.charts.chart import ColumnPart, ColumnParts
from inspector.formatting.verdicts import VERDICT_TONES, VerdictTone
from inspector.formatting.wire_values import wire_word
from inspector.usage.measures import Measure
from inspector.usage.rollup.queries import MeasureSum, MeasureSums

VERDICT_NAMES = {
    VerdictTone.GOOD: "complete",
    VerdictTone.PARTIAL: "partial",
    VerdictTone.BROKEN: "broken",
    VerdictTone.CANCELLED: "cancelled",
    VerdictTone.WAITING: "in progress",
}
FINISH_NAMES = {
    "good": "ended normally",
    "tool": "called a tool",
    "part": "cut short",
    "bad": "withheld",
}
"""Of documented finish reasons those of one meaning share a part."""
MEANING_TONES = {
    **dict.fromkeys(ORDINARY - CALLING, "good"),
    **dict.fromkeys(CALLING, "tool"),
    FinishMeaning.LENGTH: "part",
    FinishMeaning.CONTEXT: "part",
    FinishMeaning.ABORTED: "part",
    FinishMeaning.FILTERED: "bad",
    FinishMeaning.REFUSED: "bad",
}
FINISH_TONES = {
    reason: MEANING_TONES[meaning]
    for reason, meaning in finish_meanings().items()
    if meaning in MEANING_TONES
}
"""Tones of the documented finish reasons."""
VENDOR_TONES = ("other-1", "other-2", "other-3", "other-4", "other-5")
"""Tones of the most frequent other finish reasons, each drawn by itself; the rest share a part."""
OTHER_FINISHES = "others"
MAX_LINKED_FINISHES = 10
"""Finish reasons one link can filter by; with more, it lists all captures."""
LINKS_TO_ALL = "; links to all captures of this time"


def token_parts(sums: MeasureSums) -> ColumnParts:
    """Split totals into parts that add up to them; unreported parts are omitted."""
    return tuple(part for part in _token_parts(sums) if part is not None)


def _token_parts(sums: MeasureSums) -> Iterator[ColumnPart | None]:
    prompt, completion = prompt_and_completion_totals(sums)
    hits = reported_amount("cached_tokens", sums)
    cached = min(hits.total, prompt)
    thought, content = tokens("reasoning_tokens", sums), tokens("completion_tokens", sums)
    reasoning = min(thought.total, completion)
    yield ColumnPart("cached", cached) if hits.captures else None
    yield ColumnPart("prompt", prompt - cached) if tokens("prompt_tokens", sums).captures else None
    yield ColumnPart("reasoning", reasoning) if thought.captures else None
    yield ColumnPart("content", completion - reasoning) if content.captures else None


def token_headings(every: MeasureSums) -> dict[str, str]:
    """Legend by tone. A total's rest is "not cached" only if all captures report caching."""
    has_cached = is_reported_by_all("cached_tokens", "prompt_tokens", every)
    has_reasoning = is_reported_by_all("reasoning_tokens", "completion_tokens", every)
    return {
        "cached": "prompt, cached",
        "prompt": f"prompt, not cached{'' if has_cached else ' or not reported'}",
        "reasoning": "completion, reasoning",
        "content": f"completion, other{'' if has_reasoning else ' or not reported'}",
    }


def is_reported_by_all(part: str, whole: str, sums: MeasureSums) -> bool:
    """Return True if at least as many captures report the part as the total."""
    return reported_amount(part, sums).captures == tokens(whole, sums).captures


def tokens(name: str, sums: MeasureSums) -> MeasureSum:
    return sums[Measure.TOKENS, name]


def reported_amount(part: str, sums: MeasureSums) -> MeasureSum:
    """Return sums the part over the names under which vendors report it."""
    own, other = tokens(part, sums), sums[Measure.OTHER_NAME, part]
    return MeasureSum(own.captures + other.captures, own.total + other.total)


def prompt_and_completion_totals(sums: MeasureSums) -> tuple[int, int]:
    """Prompt and completion totals, including counts that some vendors report outside them."""
    audio, reasoning = (
        sums[Measure.COUNTED_OUTSIDE, part].total
        for part in ("prompt_audio_tokens", "reasoning_tokens")
    )
    prompt, completion = tokens("prompt_tokens", sums), tokens("completion_tokens", sums)
    return prompt.total + audio, completion.total + reasoning


def token_total(sums: MeasureSums) -> tuple[int | None, int]:
    """Prompt plus completion, and the number of captures; None if neither was reported."""
    counted = max(tokens(whole, sums).captures for whole in ("prompt_tokens", "completion_tokens"))
    return sum(prompt_and_completion_totals(sums)) if counted else None, counted


def verdict_parts(sums: MeasureSums) -> ColumnParts:
    """Group verdicts by meaning; each part links to its captures."""
    verdicts = sums.by_value(Measure.VERDICT)
    return tuple(_verdict_parts(verdicts))


def _verdict_parts(verdicts: dict[str, int]) -> Iterator[ColumnPart]:
    for tone, name in VERDICT_NAMES.items():
        found = {
            each: n
            for each, n in verdicts.items()
            if VERDICT_TONES.get(each, VerdictTone.BROKEN) == tone
        }
        if found:
            conditions = tuple(("verdict", verdict) for verdict in found)
            yield ColumnPart(str(tone), sum(found.values()), name, conditions)


def finish_reason_tones(every: MeasureSums) -> dict[str, str]:
    """Tones of the period's documented finish reasons, and of the most frequent others."""
    found = every.by_value(Measure.FINISH_REASON)
    others = [reason for reason in found if reason not in FINISH_TONES][: len(VENDOR_TONES)]
    of_vendors = dict(zip(sorted(others), VENDOR_TONES, strict=False))
    return {reason: tone for reason, tone in FINISH_TONES.items() if reason in found} | of_vendors


def finish_parts(sums: MeasureSums, drawn: Mapping[str, str]) -> ColumnParts:
    """Count a capture once for each finish reason among its choices, by what they mean."""
    finishes = sums.by_value(Measure.FINISH_REASON)
    by_tone: dict[str, list[str]] = {}
    for reason, tone in drawn.items():
        by_tone.setdefault(tone, []).append(reason)
    parts = tuple(_finish(tone, reasons, finishes) for tone, reasons in by_tone.items())
    others = {reason: n for reason, n in finishes.items() if reason not in drawn}
    further = sums[Measure.FURTHER_FINISH_REASONS].captures
    number = sum(others.values()) + further
    if not number:
        return parts
    if further or "" in others or len(others) > MAX_LINKED_FINISHES:
        return *parts, ColumnPart("rest", number, OTHER_FINISHES, aside=LINKS_TO_ALL)
    conditions = tuple(("finish_reason", reason) for reason in others)
    return *parts, ColumnPart("rest", number, OTHER_FINISHES, conditions)


def _finish(tone: str, reasons: Sequence[str], finishes: Mapping[str, int]) -> ColumnPart:
    number = sum(finishes.get(reason, 0) for reason in reasons)
    name = FINISH_NAMES.get(tone) or wire_word(reasons[0])
    # No filter matches an empty finish reason.
    if "" in reasons or len(reasons) > MAX_LINKED_FINISHES:
        return ColumnPart(tone, number, name, aside=LINKS_TO_ALL)
    return ColumnPart(tone, number, name, tuple(("finish_reason", reason) for reason in reasons))
