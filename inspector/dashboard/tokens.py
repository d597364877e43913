"""One token of an answer in words: how likely it was, what else was, which bytes it stands for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inspector.core.completion import known
from inspector.core.logprobs import NEARLY_CERTAIN, SENTINEL, Part, Token, is_number
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.templatetags.formats import UNKNOWABLE, plural
from inspector.dashboard.wire import NOT_SENT, json_text

STEPS = (0.95, 0.8, 0.5, 0.2, 0.05)
"""A token as likely as the first is left bare; each further bound is one step less sure."""
MOST_ALTERNATIVES = 20
"""The provider's reference allows no more (000)."""
BAR_WIDTH = 100


@dataclass(frozen=True, slots=True)
class ShownAlternative:
    token: tuple[Segment, ...]
    logprob: str
    probability: str
    width: int
    """Of its bar, of ``BAR_WIDTH``."""
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class ShownToken:
    """``position`` counts from 0 in the list that was sent, as pointers and findings do."""

    position: int
    text: tuple[Segment, ...]
    """As it stands in the answer."""
    token: tuple[Segment, ...]
    """As it was sent, in its quotes: what white space it holds must be seen."""
    step: str
    is_placed: bool
    logprob: str
    probability: str
    bytes: str
    shared: str
    """With which other tokens it makes up one character."""
    entropy: str
    """In a sentence; ``bits`` and ``mass`` are the same in numbers."""
    bits: str
    mass: str
    alternatives: tuple[ShownAlternative, ...]
    event: int | None = None
    """The event that brought the first of its characters."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The entropy of the probabilities that were sent, in bits, and how much they hold together.

    What was not sent can only add to the entropy: every term of the sum is 0 or more.
    """

    bits: float
    mass: float
    given: int

    @property
    def is_all(self) -> bool:
        return self.mass > 0.99995


def shown(token: Token, text: str, shared: range, event: int | None = None) -> ShownToken:
    """``shared``: the positions of all the tokens that its characters need, itself among them."""
    spread = spread_of(token)
    return ShownToken(
        position=token.position,
        text=exact_text(token, text, shared),
        token=quoted(token.text),
        step=step_of(token.logprob),
        is_placed=token.start is not None,
        logprob=logprob_word(token.logprob),
        probability=probability_word(token.logprob),
        bytes=bytes_word(token),
        shared=shared_words(token, text, shared),
        entropy=entropy_words(spread),
        bits=bits_word(spread),
        mass=percent(spread.mass) if spread else UNKNOWABLE,
        alternatives=tuple(alternatives_of(token)),
        event=event,
    )


# -- text and bytes -------------------------------------------------------------------------------


def exact_text(token: Token, text: str, shared: range) -> tuple[Segment, ...]:
    """What to print for it: a character of several tokens stands in the first of them."""
    if token.start is None or token.end is None:
        return exact(token.text if isinstance(token.text, str) else json_text(token.text))
    if len(shared) > 1 and token.position != shared[0]:
        return (Segment(f"[+{bytes_word(token)}]", "mark"),)
    return visible(text[token.start : token.end])


def visible(text: str) -> tuple[Segment, ...]:
    """Line ends stay line ends and are named as well; a token may be nothing else."""
    segments: list[Segment] = []
    for number, line in enumerate(text.split("\n")):
        segments += [Segment("[LF]", "mark"), Segment("\n")] if number else []
        segments += exact(line)
    return tuple(segments)


def quoted(token: Any) -> tuple[Segment, ...]:
    return exact(NOT_SENT if token is UNSET else json_text(token))


def bytes_word(token: Token) -> str:
    """``e2 82``; where no list of bytes was sent, those of the text, said to be derived."""
    sent = token.bytes
    if isinstance(sent, list):
        is_bytes = all(type(byte) is int and 0 <= byte <= 255 for byte in sent)
        return bytes(sent).hex(" ") or "none" if is_bytes else json_text(sent)
    if token.part is Part.TEXT and sent is UNSET:
        return derived_bytes(token.text)
    return NOT_SENT if sent is UNSET else json_text(sent)


def derived_bytes(text: Any) -> str:
    """Legacy completions send no bytes; half a character is spelt there (004)."""
    if not isinstance(text, str) or text.startswith("bytes:"):
        return NOT_SENT
    return f"{text.encode(errors='surrogatepass').hex(' ')} (derived)" if text else "none"


def shared_words(token: Token, text: str, shared: range) -> str:
    if len(shared) < 2 or token.start is None:
        return ""
    said = json_text(text[token.start : token.end])
    return f"part of {said}, which tokens {shared[0]:,} to {shared[-1]:,} make together"


# -- probability ----------------------------------------------------------------------------------


def probability_of(logprob: Any) -> float | None:
    """None for what is no measured logarithm of a probability; a rounded 0 counts as 1."""
    if not is_number(logprob) or logprob == SENTINEL or logprob > NEARLY_CERTAIN:
        return None
    return math.exp(min(logprob, 0))


def step_of(logprob: Any) -> str:
    """``p0`` for the surest to ``p5``; ``unknown`` without a probability."""
    probability = probability_of(logprob)
    if probability is None:
        return "unknown"
    return f"p{sum(probability < bound for bound in STEPS)}"


def logprob_word(value: Any) -> str:
    if value is UNSET:
        return NOT_SENT
    if not is_number(value):
        return json_text(value)
    if value == SENTINEL:
        return "−9999: a sentinel, too unlikely to say"
    return signed(f"{value:.4f}" if abs(value) >= 0.0001 or not value else f"{value:.1e}")


def probability_word(logprob: Any) -> str:
    probability = probability_of(logprob)
    return UNKNOWABLE if probability is None else percent(probability)


def percent(share: float) -> str:
    """Never rounded to a certainty or to nothing."""
    if share >= 1 or share == 0:
        return "100 %" if share else "0 %"
    if share > 0.99995:
        return "> 99.99 %"
    return f"{share * 100:.2f} %" if share >= 0.0001 else f"{share * 100:.1e} %"


def signed(digits: str) -> str:
    """With a minus sign that is as wide as a plus."""
    return f"−{digits[1:]}" if digits.startswith("-") else digits


def alternatives_of(token: Token) -> Iterable[ShownAlternative]:
    for other in token.alternatives[:MOST_ALTERNATIVES]:
        probability = probability_of(other.logprob)
        yield ShownAlternative(
            token=quoted(other.token),
            logprob=logprob_word(other.logprob),
            probability=probability_word(other.logprob),
            width=0 if probability is None else max(1, round(probability * BAR_WIDTH)),
            is_chosen=other.token == token.text,
        )


def spread_of(token: Token) -> Spread | None:
    """None where no alternatives were sent. The token counts too where it is not among them."""
    given = [(json_text(other.token), other.logprob) for other in token.alternatives]
    if not given:
        return None
    own = [(json_text(token.text), token.logprob)] if known(token.text) else []
    measured = {word: probability_of(logprob) for word, logprob in (*own, *given)}
    shares = [share for share in measured.values() if share is not None]
    bits = sum(-share * math.log2(share) for share in shares if share)
    return Spread(bits, sum(shares), len(shares)) if shares else None


def entropy_words(spread: Spread | None) -> str:
    if spread is None:
        return "unknown: no alternatives were sent"
    over = f"over the {plural(spread.given, 'token')} whose probability was sent"
    if spread.is_all:
        return f"{spread.bits:.2f} bits {over}"
    return (
        f"at least {spread.bits:.2f} bits {over}; they cover {percent(spread.mass)}, "
        "the rest is unknown"
    )


def bits_word(spread: Spread | None) -> str:
    if spread is None:
        return UNKNOWABLE
    return f"{spread.bits:.2f}" if spread.is_all else f"≥ {spread.bits:.2f}"
