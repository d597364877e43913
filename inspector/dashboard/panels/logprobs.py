"""How sure the model was of each token: a heat map over the text, a table of the same values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from typing import Any

from inspector.core.completion import Choice
from inspector.core.logprobs import Logprobs, Part, Token, is_number, read_logprobs, token_count
from inspector.core.tape import LaneKind
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment
from inspector.dashboard.numerals import whole_number
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.provenance import u16_length
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.tokens import (
    ShownToken,
    percent,
    probability_of,
    probability_word,
    quoted,
    shown,
    signed,
)
from inspector.dashboard.why_empty import LOGPROBS, why_empty

WINDOW = {"heat": 2_000, "table": 300}
"""So many tokens of all texts together are shown at once."""
LEAST_WINDOW = 100
MOST_TEXTS = 20
LEAST_PROBABLE = 5
MOST_SHARED = 16
"""So many neighbours on either side are asked whether they are parts of the same character."""
AT_ONCE = 200
"""With more tokens the panel waits until it is looked at."""

LANES = {
    Part.CONTENT: LaneKind.CONTENT,
    Part.REFUSAL: LaneKind.REFUSAL,
    Part.TEXT: LaneKind.TEXT,
}
LEGEND = (
    ("p0", "95 % or more"),
    ("p1", "80 to 95 %"),
    ("p2", "50 to 80 %"),
    ("p3", "20 to 50 %"),
    ("p4", "5 to 20 %"),
    ("p5", "below 5 %"),
    ("unknown", "unknown"),
)


@dataclass(frozen=True, slots=True)
class Unlikely:
    """One of the least probable tokens of a text."""

    position: int
    address: str
    """Of the window that it stands in."""
    token: tuple[Segment, ...]
    probability: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class Summed:
    """Over all tokens of a text whose probability is known; ``left_out`` are the others."""

    mean_logprob: str
    mean_probability: str
    perplexity: str
    left_out: int


@dataclass(frozen=True, slots=True)
class TokenText:
    """One text of a choice with the window of its tokens; ``key`` names it in addresses."""

    choice: int
    part: Part
    tokens: tuple[ShownToken, ...]
    start: int
    """How many tokens of this text stand before the window."""
    total: int
    window: int
    asked: int | None
    """The position of the token that was asked for."""
    summed: Summed | None
    unlikely: tuple[Unlikely, ...]
    is_misaligned: bool
    """The tokens do not join to the text."""
    has_alternatives: bool

    @property
    def key(self) -> str:
        return f"{self.choice}-{self.part}"

    @property
    def end(self) -> int:
        return self.start + len(self.tokens)

    @property
    def last(self) -> int:
        return self.end - 1

    @property
    def before(self) -> str:
        return f"{self.key}-{max(0, self.start - self.window)}" if self.start else ""

    @property
    def after(self) -> str:
        return f"{self.key}-{self.end}" if self.end < self.total else ""

    @property
    def details(self) -> list[dict[str, Any]]:
        """What the strip under the heat map says of each token of the window."""
        return [detail(token) for token in self.tokens]


@dataclass(frozen=True, slots=True)
class TokenTexts:
    texts: tuple[TokenText, ...]
    texts_left_out: int
    is_table: bool
    total: int
    legend: tuple[tuple[str, str], ...] = LEGEND


@dataclass(frozen=True, slots=True)
class Asked:
    """Which text's window is wanted, and the token in it: ``0-content-2000``."""

    key: str = ""
    position: int | None = None


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    total = sum(map(token_count, view.analysis.choices))
    if not total:
        return Drawn(why_empty=why_empty(view, LOGPROBS).sentence)
    count = f"{total:,}"
    if total > AT_ONCE and not view.is_looked_at("logprobs"):
        return Drawn(count, later=f"The probabilities of {plural(total, 'token')}, as a heat map.")
    texts = [text for choice in view.analysis.choices for text in texts_of(choice)]
    return Drawn(count, content_of(view, texts, total))


ChoiceText = tuple[Choice, Logprobs, Sequence[Token]]


def texts_of(choice: Choice) -> Iterator[ChoiceText]:
    """The tokens of each text of a choice: an answer and a refusal are two texts."""
    read = read_logprobs(choice)
    for _, tokens in groupby(read.tokens, key=lambda token: token.part):
        yield choice, read, tuple(tokens)


def content_of(view: CaptureView, texts: Sequence[ChoiceText], total: int) -> TokenTexts:
    is_table = view.asked.get("logprobs") == "table"
    most = WINDOW["table" if is_table else "heat"]
    window = max(LEAST_WINDOW, most // len(texts))
    asked = asked_of(view.asked.get("tokens", ""))
    return TokenTexts(
        texts=tuple(token_text(view, text, window, asked) for text in texts[:MOST_TEXTS]),
        texts_left_out=max(0, len(texts) - MOST_TEXTS),
        is_table=is_table,
        total=total,
    )


def asked_of(text: str) -> Asked:
    key, _, digits = text.rpartition("-")
    position = whole_number(digits)
    return Asked() if position is None else Asked(key, position)


def token_text(view: CaptureView, text: ChoiceText, window: int, asked: Asked) -> TokenText:
    choice, read, tokens = text
    part = tokens[0].part
    wanted = asked.position if asked.key == f"{choice.index}-{part}" else None
    start = window_start(tokens, window, wanted)
    shown_tokens = tuple(window_of(view, choice, tokens, range(start, start + window)))
    positions = {token.position for token in shown_tokens}
    likely = measured(tokens)
    return TokenText(
        choice=choice.index,
        part=part,
        tokens=shown_tokens,
        start=start,
        total=len(tokens),
        window=window,
        asked=wanted if wanted in positions else None,
        summed=summed([logprob for logprob, _ in likely], len(tokens)),
        unlikely=tuple(least_probable(likely, positions, f"{choice.index}-{part}")),
        is_misaligned=not read.aligned.get(part, True),
        has_alternatives=any(token.alternatives for token in tokens),
    )


def window_start(tokens: Sequence[Token], window: int, wanted: int | None) -> int:
    """Windows begin at multiples of their length, so that each has one address."""
    if wanted is None or not wanted < len(tokens):
        return 0
    return wanted // window * window


def window_of(
    view: CaptureView, choice: Choice, tokens: Sequence[Token], window: range
) -> Iterator[ShownToken]:
    text = text_of(choice, tokens[0].part)
    events = Events(view, choice.index, tokens[0].part, text)
    for number in window:
        if number >= len(tokens):
            return
        token = tokens[number]
        yield shown(token, text, shared_with(tokens, number), events.of(token))


def text_of(choice: Choice, part: Part) -> str:
    text = {Part.CONTENT: choice.content, Part.REFUSAL: choice.refusal, Part.TEXT: choice.text}
    found = text[part]
    return found if isinstance(found, str) else ""


def shared_with(tokens: Sequence[Token], number: int) -> range:
    """The positions of the neighbours that stand on the same characters."""
    token = tokens[number]
    first = last = number
    if token.start is None or token.start == token.end:
        return range(token.position, token.position + 1)
    place = (token.start, token.end)
    lowest, highest = max(0, number - MOST_SHARED), min(len(tokens), number + MOST_SHARED) - 1
    while first > lowest and (tokens[first - 1].start, tokens[first - 1].end) == place:
        first -= 1
    while last < highest and (tokens[last + 1].start, tokens[last + 1].end) == place:
        last += 1
    return range(tokens[first].position, tokens[last].position + 1)


class Events:
    """Which event of a stream brought a token; tokens are asked for in their order."""

    def __init__(self, view: CaptureView, choice: int, part: Part, text: str) -> None:
        self._provenance = view.provenance
        lanes = self._provenance.lanes(choice, LANES[part]) if self._provenance else iter(())
        self._lane = next(lanes, None)
        self._text, self._at, self._at_u16 = text, 0, 0

    def of(self, token: Token) -> int | None:
        if self._provenance is None or self._lane is None or token.start is None:
            return None
        self._at_u16 += u16_length(self._text[self._at : token.start])
        self._at = token.start
        return self._provenance.event_of_character(self._lane, self._at_u16)


def measured(tokens: Sequence[Token]) -> list[tuple[float, Token]]:
    """Those that have a probability, with its logarithm."""
    return [
        (token.logprob, token)
        for token in tokens
        if is_number(token.logprob) and probability_of(token.logprob) is not None
    ]


def summed(logprobs: Sequence[float], total: int) -> Summed | None:
    """None where no token has a probability."""
    if not logprobs:
        return None
    mean = math.fsum(logprobs) / len(logprobs)
    perplexity = math.exp(-mean) if mean > -700 else math.inf
    return Summed(
        mean_logprob=signed(f"{mean:.4f}"),
        mean_probability=percent(math.exp(min(mean, 0))),
        perplexity=f"{perplexity:,.2f}" if perplexity < 1e6 else f"{perplexity:.1e}",
        left_out=total - len(logprobs),
    )


def least_probable(
    likely: Sequence[tuple[float, Token]], shown: set[int], key: str
) -> Iterator[Unlikely]:
    for _, token in nsmallest(LEAST_PROBABLE, likely, key=itemgetter(0)):
        yield Unlikely(
            token.position,
            f"{key}-{token.position}",
            quoted(token.text),
            probability_word(token.logprob),
            token.position in shown,
        )


def detail(token: ShownToken) -> dict[str, Any]:
    return {
        "position": token.position,
        "token": joined(token.token),
        "probability": token.probability,
        "logprob": token.logprob,
        "bytes": token.bytes,
        "shared": token.shared,
        "entropy": token.entropy,
        "event": token.event,
        "alternatives": [
            [joined(other.token), other.probability, other.logprob, other.width, other.is_chosen]
            for other in token.alternatives
        ],
    }


def joined(segments: tuple[Segment, ...]) -> str:
    return "".join(segment.text for segment in segments)


PANEL = Panel(position=90, slug="logprobs", title="Logprobs", draw=draw, reads_all=True)
