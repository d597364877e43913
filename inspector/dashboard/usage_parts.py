"""What columns of usage are made of: tokens, verdicts, finish reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inspector.dashboard.chart import Part, Parts
from inspector.dashboard.verdicts import TONES, Tone
from inspector.dashboard.wire import wire_word
from inspector.usage.measures import Measure
from inspector.usage.queries import Amount, Sums

VERDICT_NAMES = {
    Tone.GOOD: "complete",
    Tone.PARTIAL: "partial",
    Tone.BROKEN: "broken",
    Tone.CANCELLED: "cancelled",
    Tone.WAITING: "in progress",
}
DRAWN_FINISHES = 5
"""Reasons with a part of their own; the others share one."""
FINISH_TONES = {"stop": "good", "tool_calls": "tool", "length": "part", "content_filter": "bad"}
"""Of the reasons that the documents define."""
VENDOR_TONES = ("other-1", "other-2", "other-3", "other-4", "other-5")
"""Of those that vendors alone give, by their order."""
OTHER_FINISHES = "others"
LINKED_FINISHES = 10
"""That one link asks for; where there are more, it leads to all captures."""
TO_ALL = "; leads to all captures of this time"


def token_parts(sums: Sums) -> Parts:
    """Parts inside their wholes, so that their sum is that of the wholes. What nobody told is no
    part.
    """
    return tuple(part for part in _token_parts(sums) if part is not None)


def _token_parts(sums: Sums) -> Iterator[Part | None]:
    prompt, completion = wholes(sums)
    hits = told("cached_tokens", sums)
    cached = min(hits.total, prompt)
    thought, content = tokens("reasoning_tokens", sums), tokens("completion_tokens", sums)
    reasoning = min(thought.total, completion)
    yield Part("cached", cached) if hits.captures else None
    yield Part("prompt", prompt - cached) if tokens("prompt_tokens", sums).captures else None
    yield Part("reasoning", reasoning) if thought.captures else None
    yield Part("content", completion - reasoning) if content.captures else None


def token_heads(every: Sums) -> dict[str, str]:
    """By tone. What is left of a whole is not cached only where all captures tell what is."""
    has_cached = is_told_throughout("cached_tokens", "prompt_tokens", every)
    has_reasoning = is_told_throughout("reasoning_tokens", "completion_tokens", every)
    return {
        "cached": "prompt, cached",
        "prompt": f"prompt, not cached{'' if has_cached else ' or not reported'}",
        "reasoning": "completion, reasoning",
        "content": f"completion, other{'' if has_reasoning else ' or not reported'}",
    }


def is_told_throughout(part: str, whole: str, sums: Sums) -> bool:
    """By as many captures as the whole is."""
    return told(part, sums).captures == tokens(whole, sums).captures


def tokens(name: str, sums: Sums) -> Amount:
    return sums[Measure.TOKENS, name]


def told(part: str, sums: Sums) -> Amount:
    """By whichever of its names each capture told it."""
    named, otherwise = tokens(part, sums), sums[Measure.OTHER_NAME, part]
    return Amount(named.captures + otherwise.captures, named.total + otherwise.total)


def wholes(sums: Sums) -> tuple[int, int]:
    """Prompt and completion with what some vendors count beside them."""
    audio, reasoning = (
        sums[Measure.BESIDE, part].total for part in ("prompt_audio_tokens", "reasoning_tokens")
    )
    prompt, completion = tokens("prompt_tokens", sums), tokens("completion_tokens", sums)
    return prompt.total + audio, completion.total + reasoning


def tokens_of(sums: Sums) -> tuple[int | None, int]:
    """Prompt and completion together, and of how many captures; None where nobody told either."""
    counted = max(tokens(whole, sums).captures for whole in ("prompt_tokens", "completion_tokens"))
    return sum(wholes(sums)) if counted else None, counted


def verdict_parts(sums: Sums) -> Parts:
    """Verdicts that mean alike stand together; each part leads to those that it is of."""
    verdicts = sums.by_value(Measure.VERDICT)
    return tuple(_verdict_parts(verdicts))


def _verdict_parts(verdicts: dict[str, int]) -> Iterator[Part]:
    for tone, name in VERDICT_NAMES.items():
        found = {each: n for each, n in verdicts.items() if TONES.get(each, Tone.BROKEN) == tone}
        if found:
            conditions = tuple(("verdict", verdict) for verdict in found)
            yield Part(str(tone), sum(found.values()), name, conditions)


def drawn_finishes(every: Sums) -> dict[str, str]:
    """The most frequent of a period and their tones, in an order that does not change with their
    numbers: those that the documents define first.
    """
    most = list(every.by_value(Measure.FINISH_REASON))[:DRAWN_FINISHES]
    of_vendors = dict(zip(sorted(set(most) - FINISH_TONES.keys()), VENDOR_TONES, strict=False))
    return {reason: tone for reason, tone in FINISH_TONES.items() if reason in most} | of_vendors


def finish_parts(sums: Sums, drawn: Mapping[str, str]) -> Parts:
    """A capture stands in the part of each reason that any of its choices gave."""
    finishes = sums.by_value(Measure.FINISH_REASON)
    parts = tuple(_finish(reason, tone, finishes.get(reason, 0)) for reason, tone in drawn.items())
    others = {reason: n for reason, n in finishes.items() if reason not in drawn}
    further = sums[Measure.FURTHER_FINISH_REASONS].captures
    number = sum(others.values()) + further
    if not number:
        return parts
    if further or "" in others or len(others) > LINKED_FINISHES:
        return *parts, Part("rest", number, OTHER_FINISHES, aside=TO_ALL)
    conditions = tuple(("finish_reason", reason) for reason in others)
    return *parts, Part("rest", number, OTHER_FINISHES, conditions)


def _finish(reason: str, tone: str, number: int) -> Part:
    """No condition asks for the empty one."""
    if not reason:
        return Part(tone, number, wire_word(reason), aside=TO_ALL)
    return Part(tone, number, reason, (("finish_reason", reason),))
