"""One token for display: its probability, alternatives, entropy and bytes."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from inspector.core.completion import known
from inspector.core.fields.logprobs import (
    NEARLY_CERTAIN,
    SENTINEL,
    LogprobsPart,
    LogprobToken,
    is_number,
)
from inspector.formatting.humanize import UNKNOWABLE, plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import NOT_SENT, json_text

STEPS = (0.95, 0.8, 0.5, 0.2, 0.05)
"""Probability thresholds of the heat map: above the first there is no colour, each further one is
one step darker.
"""
MAX_ALTERNATIVES = 20
"""Limit of ``top_logprobs`` in WorkflowAI's reference."""
BAR_WIDTH = 100


@dataclass(frozen=True, slots=True)
class TokenAlternativeDisplay:
    token: tuple[TextSegment, ...]
    logprob: str
    probability: str
    width: int
    """Width of its bar, out of ``BAR_WIDTH``."""
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class TokenDisplay:
    """``position`` is the 0-based index in the sent list, as in pointers and findings."""

    position: int
    text: tuple[TextSegment, ...]
    """The token as part of the answer."""
    token: tuple[TextSegment, ...]
    """The token as sent, in quotes, so that white space is visible."""
    step: str
    is_placed: bool
    logprob: str
    probability: str
    bytes: str
    shared: str
    """Names the other tokens that share a character with this one."""
    entropy: str
    """As a sentence; ``bits`` and ``mass`` are the numbers."""
    bits: str
    mass: str
    alternatives: tuple[TokenAlternativeDisplay, ...]
    event: int | None = None
    """Event that carried the token's first character."""


@dataclass(frozen=True, slots=True)
class TokenEntropy:
    """Entropy of the sent probabilities in bits, and their sum.

    It is a lower bound: every term of the sum is at least 0, so missing alternatives can only add.
    """

    bits: float
    mass: float
    given: int

    @property
    def is_all(self) -> bool:
        return self.mass > 0.99995


def token_display_of(
    token: LogprobToken, text: str, shared: range, event: int | None = None
) -> TokenDisplay:
    """Build the display; ``shared`` is the range of tokens that make up the same characters."""
    spread = token_entropy(token)
    return TokenDisplay(
        position=token.position,
        text=exact_text(token, text, shared),
        token=quoted_token(token.text),
        step=step_of(token.logprob),
        is_placed=token.start is not None,
        logprob=logprob_word(token.logprob),
        probability=probability_word(token.logprob),
        bytes=bytes_word(token),
        shared=shared_characters_words(token, text, shared),
        entropy=entropy_words(spread),
        bits=bits_word(spread),
        mass=percent(spread.mass) if spread else UNKNOWABLE,
        alternatives=tuple(alternatives_of(token)),
        event=event,
    )


# -- text and bytes -------------------------------------------------------------------------------


def exact_text(token: LogprobToken, text: str, shared: range) -> tuple[TextSegment, ...]:
    """Text to print for the token; a character split over tokens is printed with the first."""
    if token.start is None or token.end is None:
        return exact_segments(token.text if isinstance(token.text, str) else json_text(token.text))
    if len(shared) > 1 and token.position != shared[0]:
        return (TextSegment(f"[+{bytes_word(token)}]", "mark"),)
    return visible_token_text(text[token.start : token.end])


def visible_token_text(text: str) -> tuple[TextSegment, ...]:
    """Show line ends both as such and by name, since a token may consist of nothing else."""
    segments: list[TextSegment] = []
    for number, line in enumerate(text.split("\n")):
        segments += [TextSegment("[LF]", "mark"), TextSegment("\n")] if number else []
        segments += exact_segments(line)
    return tuple(segments)


def quoted_token(token: Any) -> tuple[TextSegment, ...]:
    return exact_segments(NOT_SENT if token is UNSET else json_text(token))


def bytes_word(token: LogprobToken) -> str:
    """Format the bytes as ``e2 82``; bytes derived from the text are labelled as derived."""
    sent = token.bytes
    if isinstance(sent, list):
        is_bytes = all(type(byte) is int and 0 <= byte <= 255 for byte in sent)
        return bytes(sent).hex(" ") or "none" if is_bytes else json_text(sent)
    if token.part is LogprobsPart.TEXT and sent is UNSET:
        return derived_bytes(token.text)
    return NOT_SENT if sent is UNSET else json_text(sent)


def derived_bytes(text: Any) -> str:
    """Bytes for legacy completions, which send none but spell out partial characters (OpenAI's
    completions reference)."""
    if not isinstance(text, str) or text.startswith("bytes:"):
        return NOT_SENT
    return f"{text.encode(errors='surrogatepass').hex(' ')} (derived)" if text else "none"


def shared_characters_words(token: LogprobToken, text: str, shared: range) -> str:
    if len(shared) < 2 or token.start is None:
        return ""
    spelling = json_text(text[token.start : token.end])
    return f"part of {spelling}, which tokens {shared[0]:,} to {shared[-1]:,} make together"


# -- probability ----------------------------------------------------------------------------------


def probability_of(logprob: Any) -> float | None:
    """Convert a logprob to a probability; None for sentinels, 1 for a rounded value above 0."""
    if not is_number(logprob) or logprob == SENTINEL or logprob > NEARLY_CERTAIN:
        return None
    return math.exp(min(logprob, 0))


def step_of(logprob: Any) -> str:
    """Heat map class: ``p0`` for the most likely to ``p5``; ``unknown`` without a probability."""
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
    return with_sign(f"{value:.4f}" if abs(value) >= 0.0001 or not value else f"{value:.1e}")


def probability_word(logprob: Any) -> str:
    probability = probability_of(logprob)
    return UNKNOWABLE if probability is None else percent(probability)


def percent(share: float) -> str:
    """Format a share without rounding it to 0 % or 100 %."""
    if share >= 1 or share == 0:
        return "100 %" if share else "0 %"
    if share > 0.99995:
        return "> 99.99 %"
    return f"{share * 100:.2f} %" if share >= 0.0001 else f"{share * 100:.1e} %"


def with_sign(digits: str) -> str:
    """Use the typographic minus, which is as wide as a plus."""
    return f"−{digits[1:]}" if digits.startswith("-") else digits


def alternatives_of(token: LogprobToken) -> Iterable[TokenAlternativeDisplay]:
    for other in token.alternatives[:MAX_ALTERNATIVES]:
        probability = probability_of(other.logprob)
        yield TokenAlternativeDisplay(
            token=quoted_token(other.token),
            logprob=logprob_word(other.logprob),
            probability=probability_word(other.logprob),
            width=0 if probability is None else max(1, round(probability * BAR_WIDTH)),
            is_chosen=other.token == token.text,
        )


def token_entropy(token: LogprobToken) -> TokenEntropy | None:
    """Return the entropy over the alternatives, including the chosen token if it is not among
    them; None if no alternatives were sent.
    """
    given = [(json_text(other.token), other.logprob) for other in token.alternatives]
    if not given:
        return None
    own = [(json_text(token.text), token.logprob)] if known(token.text) else []
    measured = {word: probability_of(logprob) for word, logprob in (*own, *given)}
    shares = [share for share in measured.values() if share is not None]
    bits = sum(-share * math.log2(share) for share in shares if share)
    return TokenEntropy(bits, sum(shares), len(shares)) if shares else None


def entropy_words(spread: TokenEntropy | None) -> str:
    if spread is None:
        return "unknown: no alternatives were sent"
    over = f"over the {plural(spread.given, 'token')} whose probability was sent"
    if spread.is_all:
        return f"{spread.bits:.2f} bits {over}"
    return (
        f"at least {spread.bits:.2f} bits {over}; they cover {percent(spread.mass)}, "
        "the rest is unknown"
    )


def bits_word(spread: TokenEntropy | None) -> str:
    if spread is None:
        return UNKNOWABLE
    return f"{spread.bits:.2f}" if spread.is_all else f"≥ {spread.bits:.2f}"
