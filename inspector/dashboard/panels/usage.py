"""Two wholes with their parts on one scale, and the arithmetic between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inspector.core.analysis import Analysis
from inspector.core.completion import Usage, known
from inspector.core.dialects import vendor_named
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.wire import json_text, listed

SCALE = 100
"""Width of the larger whole in percent of the drawing."""
THIN = 24
PROMPT_DETAILS = {
    "prompt_text_tokens": "text",
    "prompt_image_tokens": "image",
    "cache_write_tokens": "written to the cache",
    "prompt_cache_hit_tokens": "cache hits",
    "prompt_cache_miss_tokens": "cache misses",
}
COMPLETION_DETAILS = {"completion_text_tokens": "text", "completion_image_tokens": "image"}


@dataclass(frozen=True, slots=True)
class Part:
    name: str
    fill: str
    number: int | None
    """None where it is the whole once more."""
    x: float = 0
    width: float = 0
    over: float = 0
    """How far it reaches beyond the whole that it is said to be a part of."""


@dataclass(frozen=True, slots=True)
class Whole:
    name: str
    number: int | None
    absent: str
    """Why there is no number: "not sent" or "null"."""
    width: float
    parts: tuple[Part, ...]
    asides: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sum:
    holds: bool | None
    """None where a number is missing, so nothing can be said."""
    sentence: str
    math: str


@dataclass(frozen=True, slots=True)
class ShownUsage:
    found_at: str | int | None
    wholes: tuple[Whole, ...]
    sums: tuple[Sum, ...]
    money: tuple[tuple[str, str], ...]
    extras: tuple[tuple[str, str], ...]
    reasoning_is_apart: bool = False
    """The vendor counts reasoning beside the completion tokens, and so the numbers say."""

    @property
    def found_in_event(self) -> int | None:
        return self.found_at if isinstance(self.found_at, int) else None


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    usage = view.analysis.usage
    if not usage.reported:
        return Drawn(why_empty=why_empty(view.analysis))
    vendor = vendor_named(view.analysis.vendor)
    content = shown_usage(usage, is_apart=vendor is not None and vendor.reasoning_is_apart)
    total = usage.total_tokens
    broken = any(each.holds is False for each in content.sums)
    count = f"{total:,}" if isinstance(total, int) else "partly"
    return Drawn(count, content, tone="error" if broken else "")


def why_empty(analysis: Analysis) -> str:
    if analysis.verdict == "cut-off":
        return "The body was cut off before any usage came."
    if analysis.streamed:
        return (
            "No event carries usage. Many providers send it in a stream only where the request "
            "asks for it."
        )
    return "The body carries no usage object."


def shown_usage(usage: Usage, *, is_apart: bool = False) -> ShownUsage:
    """``is_apart``: the vendor is known to count reasoning beside the completion, at times."""
    is_apart = is_apart and reasoning_is_beside(usage)
    return ShownUsage(
        found_at=usage.found_at,
        wholes=wholes(usage, is_apart=is_apart),
        sums=sums(usage, is_apart=is_apart),
        reasoning_is_apart=is_apart,
        money=tuple(
            (name, value if isinstance(value, str) else json_text(value))
            for name, value in (("cost", usage.cost), ("cost_details", usage.cost_details))
            if value is not UNSET
        ),
        extras=tuple((key, json_text(value)) for key, value in usage.extras.items()),
    )


def reasoning_is_beside(usage: Usage) -> bool:
    """The numbers show it: reasoning fills up the total, or is more than the completion."""
    prompt, completion, total, reasoning = (
        number(usage.prompt_tokens),
        number(usage.completion_tokens),
        number(usage.total_tokens),
        number(usage.reasoning_tokens),
    )
    return reasoning > completion or (reasoning > 0 and prompt + completion + reasoning == total)


def wholes(usage: Usage, *, is_apart: bool) -> tuple[Whole, ...]:
    largest = max(
        number(usage.prompt_tokens),
        number(usage.completion_tokens),
        number(usage.cached_tokens),
        number(usage.reasoning_tokens),
        1,
    )
    scale = SCALE / largest
    prompt = whole(
        "prompt",
        usage.prompt_tokens,
        [("cached", "cached", usage.cached_tokens)],
        ("not cached", "prompt"),
        [("audio", usage.prompt_audio_tokens), *sent(PROMPT_DETAILS, usage)],
        scale,
    )
    completion = whole(
        "completion",
        usage.completion_tokens,
        [] if is_apart else [("reasoning", "reasoning", usage.reasoning_tokens)],
        ("the rest", "answer"),
        [
            *([("reasoning beside it", usage.reasoning_tokens)] if is_apart else []),
            ("audio", usage.completion_audio_tokens),
            ("accepted prediction", usage.accepted_prediction_tokens),
            ("rejected prediction", usage.rejected_prediction_tokens),
            *sent(COMPLETION_DETAILS, usage),
        ],
        scale,
    )
    return prompt, completion


def sent(details: dict[str, str], usage: Usage) -> list[tuple[str, Any]]:
    """The details of which only some vendors speak."""
    found = ((label, getattr(usage, name)) for name, label in details.items())
    return [(label, value) for label, value in found if value is not UNSET]


def number(value: Any) -> int:
    return value if isinstance(value, int) else 0


def whole(
    name: str,
    total: int | None | Any,
    details: list[tuple[str, str, Any]],
    rest: tuple[str, str],
    other: list[tuple[str, Any]],
    scale: float,
) -> Whole:
    parts = parts_of(number(total), details, rest, scale)
    silent = [(label, value) for label, _, value in details if not known(value)]
    return Whole(
        name=name,
        number=total if isinstance(total, int) else None,
        absent="" if isinstance(total, int) else absent_word(total),
        width=number(total) * scale,
        parts=parts if isinstance(total, int) else (),
        asides=asides([*silent, *other]),
    )


def parts_of(
    total: int, details: list[tuple[str, str, Any]], rest: tuple[str, str], scale: float
) -> tuple[Part, ...]:
    """The details that were sent, then what is left; without details the whole is one part."""
    parts: list[Part] = []
    x = 0.0
    for label, fill, value in details:
        if known(value):
            width = min(value, total) * scale
            parts.append(Part(label, fill, value, x, width, max(value - total, 0) * scale))
            x += width
    if not parts:
        return (Part("not broken down", rest[1], None, 0, total * scale),)
    left = total - sum(number(value) for _, _, value in details)
    if left > 0:
        parts.append(Part(rest[0], rest[1], left, x, left * scale))
    return tuple(parts)


def absent_word(value: Any) -> str:
    return "not sent" if value is UNSET else "null"


def asides(details: list[tuple[str, Any]]) -> tuple[str, ...]:
    """The other details in words: a number, a zero that was sent, null or not sent."""
    said = [f"{label} {detail_word(value)}" for label, value in details if value is not UNSET]
    absent = [label for label, value in details if value is UNSET]
    if absent:
        said.append(f"{listed(absent)} not sent")
    return tuple(said)


def detail_word(value: int | None) -> str:
    if value is None:
        return "null"
    return "0, sent as 0" if value == 0 else f"{value:,}"


def sums(usage: Usage, *, is_apart: bool) -> tuple[Sum, ...]:
    reasoning = None if is_apart else usage.reasoning_tokens
    checks = [
        total_sum(usage, is_apart=is_apart),
        within("cached within prompt", usage.cached_tokens, usage.prompt_tokens),
        within("reasoning within completion", reasoning, usage.completion_tokens),
        within("audio within prompt", usage.prompt_audio_tokens, usage.prompt_tokens),
        within("audio within completion", usage.completion_audio_tokens, usage.completion_tokens),
        within(
            "accepted prediction within completion",
            usage.accepted_prediction_tokens,
            usage.completion_tokens,
        ),
        within(
            "rejected prediction within completion",
            usage.rejected_prediction_tokens,
            usage.completion_tokens,
        ),
    ]
    return tuple(check for check in checks if check is not None)


def total_sum(usage: Usage, *, is_apart: bool) -> Sum:
    prompt, completion, total = usage.prompt_tokens, usage.completion_tokens, usage.total_tokens
    sentence = "prompt + completion = total"
    if isinstance(prompt, int) and isinstance(completion, int) and isinstance(total, int):
        reasoning = number(usage.reasoning_tokens)
        if is_apart and prompt + completion + reasoning == total:
            math = f"{prompt:,} + {completion:,} + {reasoning:,} = {total:,}"
            return Sum(True, "prompt + completion + reasoning = total", math)
        holds = prompt + completion == total
        sign = "=" if holds else "≠"
        return Sum(holds, sentence, f"{prompt:,} + {completion:,} {sign} {total:,}")
    return Sum(None, sentence, "a number is missing")


def within(sentence: str, part: Any, total: Any) -> Sum | None:
    """A part against its whole; nothing to say of a part that was not sent, or of a zero."""
    if not part or not isinstance(part, int):
        return None
    if not isinstance(total, int):
        return Sum(None, sentence, "the whole is missing")
    holds = part <= total
    return Sum(holds, sentence, f"{part:,} {'≤' if holds else '>'} {total:,}")


PANEL = Panel(position=40, slug="usage", title="Usage", draw=draw)
