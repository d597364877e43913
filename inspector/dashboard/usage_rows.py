"""The kinds of tokens of a period as rows: the wholes, their parts, and what is left of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from inspector.core.ledger import DOCUMENTED
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.usage_parts import is_told_throughout, tokens, told, wholes
from inspector.dashboard.usage_words import change_of, short
from inspector.usage.measures import Measure
from inspector.usage.queries import Sums

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
WHOLES = frozenset({"prompt_tokens", "completion_tokens", "total_tokens"})
TONES = {"cached_tokens": "cached", "reasoning_tokens": "reasoning"}
"""Of the parts that the drawing has a fill for."""
NEVER = "never sent"


@dataclass(frozen=True, slots=True)
class Row:
    """``said`` in words where nobody told it; ``captures`` is how many did, None where it is what
    others leave of a whole. ``tone`` is the fill that it has in the drawing, if any.
    """

    name: str
    depth: int
    said: str
    captures: int | None
    change: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a drawn part leaves of its whole."""

    whole: str
    name: str
    tone: str
    beside: str
    """What some vendors count beside the whole."""


RESTS = {
    "cached_tokens": Rest("prompt_tokens", "not cached", "prompt", "prompt_audio_tokens"),
    "reasoning_tokens": Rest("completion_tokens", "rest", "content", "reasoning_tokens"),
}
OF_WHOLES = {rest.whole: rest for rest in RESTS.values()}


def part_rows(every: Sums, before: Sums) -> Iterator[Row]:
    """The wholes, the parts that anybody sent and those that each vendor documents."""
    for name in ROW_NAMES:
        if name in WHOLES or name in DOCUMENTED or tokens(name, every).captures:
            yield _row(name, every, before)
        if rest := rest_of(name, every):
            past = rest_of(name, before)
            is_alike = past is not None and past[0] == rest[0]
            change = change_of(rest[1], past[1]) if past and is_alike else ""
            yield Row(rest[0], 1, short(rest[1]), None, change, RESTS[name].tone)


def rest_of(part: str, sums: Sums) -> tuple[str, int] | None:
    """Its name and its size; None where part and whole are not of the same captures, so that
    nothing can be said of what is left.
    """
    rest = RESTS.get(part)
    amount = told(part, sums)
    if rest is None or not amount.captures or sums[Measure.TOO_LARGE, rest.whole].captures:
        return None
    left = _size(rest.whole, sums) - amount.total
    if amount.captures > tokens(rest.whole, sums).captures or left < 0:
        return None
    is_exact = is_told_throughout(part, rest.whole, sums)
    return rest.name if is_exact else f"{rest.name} or not reported", left


def totals_differ(every: Sums) -> str:
    stated, added_up = tokens("total_tokens", every), sum(wholes(every))
    if not stated.captures or stated.total == added_up:
        return ""
    reported = every[Measure.USAGE_REPORTED].captures
    return (
        f"The stated totals of {plural(stated.captures, 'capture')} add up to {stated.total:,};"
        f" prompt and completion add up to {added_up:,}, in {every[REPORTED].captures:,}"
    )


def never_sent(every: Sums) -> Iterator[str]:
    """Those that have no row."""
    for name, said in ROW_NAMES.items():
        if name not in DOCUMENTED and not tokens(name, every).captures:
            whole = name.partition("_")[0]
            yield f"{whole} {said}" if whole in ("prompt", "completion") else said


def _row(name: str, every: Sums, before: Sums) -> Row:
    captures = told(name, every).captures
    row = Row(_name(name, every), int(name not in WHOLES), NEVER, captures, "", TONES.get(name, ""))
    if not captures:
        return row
    past = _size(name, before) if told(name, before).captures else None
    size = _size(name, every)
    return replace(row, said=short(size), change=change_of(size, past))


def _name(name: str, sums: Sums) -> str:
    if sums[f"{OTHERWISE}{name}"].captures:
        return f"{ROW_NAMES[name]}, under either name"
    rest, said = OF_WHOLES.get(name), ROW_NAMES[name]
    if rest is None or not sums[Measure.BESIDE, rest.beside].captures:
        return said
    return f"{said} ({ROW_NAMES[rest.beside]} counted separately)"


def _size(name: str, sums: Sums) -> int:
    """A whole is as large as it is drawn: with what some vendors count beside it."""
    rest = OF_WHOLES.get(name)
    beside = sums[Measure.BESIDE, rest.beside].total if rest else 0
    return told(name, sums).total + beside
