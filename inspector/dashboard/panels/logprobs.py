"""Tokens with their log probabilities, in both shapes: chat and legacy completions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from inspector.core.completion import Choice, known
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.wire import json_text

SENTINEL = -9999.0
"""Stands for "too unlikely to say" in the reference; it is not a measured value."""
MOST_ROWS = 300
MOST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class Other:
    token: tuple[Segment, ...]
    logprob: str


@dataclass(frozen=True, slots=True)
class Token:
    number: int
    part: str
    """``content``, ``refusal`` or ``text``."""
    token: tuple[Segment, ...]
    logprob: str
    probability: str
    others: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class ChoiceTokens:
    index: int
    tokens: tuple[Token, ...]
    total: int

    @property
    def left_out(self) -> int:
        return self.total - len(self.tokens)


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    shown = [choice_tokens(choice) for choice in view.analysis.choices]
    content = tuple(choice for choice in shown if choice.total)
    if not content:
        return Drawn(why_empty=why_empty(view.analysis.choices))
    return Drawn(f"{sum(choice.total for choice in content):,}", content)


def why_empty(choices: tuple[Choice, ...]) -> str:
    if any(choice.logprobs is None for choice in choices):
        return "The provider sent logprobs as null: they were most likely not asked for."
    if any(known(choice.logprobs) for choice in choices):
        return "The provider sent logprobs that hold no token."
    return "No choice carries logprobs."


def choice_tokens(choice: Choice) -> ChoiceTokens:
    rows = list(rows_of(choice.logprobs)) if isinstance(choice.logprobs, dict) else []
    tokens = tuple(shown(number, *row) for number, row in enumerate(rows[:MOST_ROWS], start=1))
    return ChoiceTokens(choice.index, tokens, len(rows))


Row = tuple[str, Any, Any, list[tuple[Any, Any]]]


def rows_of(logprobs: dict[str, Any]) -> Iterator[Row]:
    for part in ("content", "refusal"):
        for entry in listed(logprobs.get(part)):
            if isinstance(entry, dict):
                others = listed(entry.get("top_logprobs"))
                yield part, entry.get("token"), entry.get("logprob"), pairs(others)
    yield from legacy_rows(logprobs)


def legacy_rows(logprobs: dict[str, Any]) -> Iterator[Row]:
    """Four parallel arrays, each of them optional."""
    values, tops = listed(logprobs.get("token_logprobs")), listed(logprobs.get("top_logprobs"))
    for at, token in enumerate(listed(logprobs.get("tokens"))):
        top = tops[at] if at < len(tops) else None
        others = list(top.items()) if isinstance(top, dict) else []
        yield "text", token, values[at] if at < len(values) else None, others


def listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def pairs(entries: list[Any]) -> list[tuple[Any, Any]]:
    entries = [entry for entry in entries if isinstance(entry, dict)]
    return [(entry.get("token"), entry.get("logprob")) for entry in entries]


def shown(number: int, part: str, token: Any, value: Any, others: list[tuple[Any, Any]]) -> Token:
    alternatives = [other for other in others if other[0] != token][:MOST_OTHERS]
    return Token(
        number,
        part,
        token_segments(token),
        logprob_word(value),
        probability_word(value),
        tuple(Other(token_segments(text), logprob_word(each)) for text, each in alternatives),
    )


def token_segments(token: Any) -> tuple[Segment, ...]:
    """A token with its quotes: what white space it holds must be seen."""
    return exact(json_text(token))


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def logprob_word(value: Any) -> str:
    if not is_number(value):
        return json_text(value)
    return "−9999, a sentinel" if value == SENTINEL else f"{value:.4f}".replace("-", "−")


def probability_word(value: Any) -> str:
    if not is_number(value) or value == SENTINEL or value > 0 or math.isnan(value):
        return "–"
    return f"{math.exp(value) * 100:.2f} %"


PANEL = Panel(position=90, slug="logprobs", title="Logprobs", draw=draw)
