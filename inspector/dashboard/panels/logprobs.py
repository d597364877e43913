"""Tokens with their log probabilities, in both shapes: chat and legacy completions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inspector.core import logprobs
from inspector.core.completion import known
from inspector.core.logprobs import SENTINEL, Alternative, Logprobs, Part, is_number, read_logprobs
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.wire import NOT_SENT, json_text

MOST_ROWS = 300
MOST_OTHERS = 5


@dataclass(frozen=True, slots=True)
class Other:
    token: tuple[Segment, ...]
    logprob: str


@dataclass(frozen=True, slots=True)
class Token:
    position: int
    """In its list, from 0, as pointers and findings count."""
    part: str
    """``content``, ``refusal`` or ``text``."""
    token: tuple[Segment, ...]
    is_placed: bool
    """It stands in the choice's text."""
    logprob: str
    probability: str
    others: tuple[Other, ...]


@dataclass(frozen=True, slots=True)
class ChoiceTokens:
    index: int
    tokens: tuple[Token, ...]
    total: int
    misaligned: tuple[Part, ...]
    """The texts that their tokens do not join to."""

    @property
    def left_out(self) -> int:
        return self.total - len(self.tokens)


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    read = [read_logprobs(choice) for choice in view.analysis.choices]
    content = tuple(choice_tokens(each) for each in read if each.tokens)
    if not content:
        return Drawn(why_empty=why_empty(view))
    return Drawn(f"{sum(choice.total for choice in content):,}", content)


def why_empty(view: CaptureView) -> str:
    choices = view.analysis.choices if view.analysis else ()
    left_out = [cut.length for cut in view.cuts if cut.pointer.endswith("/logprobs")]
    if left_out:
        return (
            f"The logprobs of {plural(sum(left_out), 'token')} are not kept in the stored reading, "
            "which is shown of a capture this large. They are in the raw bytes."
        )
    if any(choice.logprobs is None for choice in choices):
        return "The provider sent logprobs as null: they were most likely not asked for."
    if any(known(choice.logprobs) for choice in choices):
        return "The provider sent logprobs that hold no token."
    return "No choice carries logprobs."


def choice_tokens(read: Logprobs) -> ChoiceTokens:
    tokens = tuple(map(shown, read.tokens[:MOST_ROWS]))
    misaligned = tuple(part for part, aligned in read.aligned.items() if not aligned)
    return ChoiceTokens(read.choice, tokens, len(read.tokens), misaligned)


def shown(token: logprobs.Token) -> Token:
    others = [other for other in token.alternatives if other.token != token.text][:MOST_OTHERS]
    return Token(
        token.position,
        token.part,
        token_segments(token.text),
        token.start is not None,
        logprob_word(token.logprob),
        probability_word(token.logprob),
        tuple(map(other_shown, others)),
    )


def other_shown(other: Alternative) -> Other:
    return Other(token_segments(other.token), logprob_word(other.logprob))


def token_segments(token: Any) -> tuple[Segment, ...]:
    """A token with its quotes: what white space it holds must be seen."""
    return exact(NOT_SENT if token is UNSET else json_text(token))


def logprob_word(value: Any) -> str:
    if value is UNSET:
        return NOT_SENT
    if not is_number(value):
        return json_text(value)
    return "−9999, a sentinel" if value == SENTINEL else f"{value:.4f}".replace("-", "−")


def probability_word(value: Any) -> str:
    if not is_number(value) or value > 0 or value == SENTINEL:
        return "–"
    return f"{math.exp(value) * 100:.2f} %"


PANEL = Panel(position=90, slug="logprobs", title="Logprobs", draw=draw)
