"""Panel with token probabilities: a heat map over the text, and a table of the same values."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import groupby
from operator import itemgetter
from typing import Any

from inspector.core.completion import BlockKind, Choice
from inspector.core.fields.logprobs import (
    Logprobs,
    LogprobsPart,
    LogprobToken,
    is_number,
    read_logprobs,
    token_count,
)
from inspector.core.tape import length_u16
from inspector.dashboard.capture.logprobs.token_display import (
    TokenDisplay,
    percent,
    probability_of,
    probability_word,
    quoted_token,
    token_display_of,
    with_sign,
)
from inspector.dashboard.capture.page.block_texts import block_texts, place_in_lane
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.why_empty import LOGPROBS, why_empty
from inspector.dashboard.request_values import parse_whole_number
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment

WINDOW = {"heat": 2_000, "table": 300}
"""Tokens shown at once, over all texts."""
MIN_WINDOW = 100
"""Tokens shown of each text, however many share the window."""
MAX_TEXTS = 20
"""One of each choice, and one of each refusal; `texts_left_out` counts the others."""
MIN_PROBABLE = 5
"""Listed as the least probable tokens, each with a link to its place."""
MAX_SHARED = 16
"""Neighbours on either side that are examined for parts of the same character."""
MANY_TOKENS = 200
"""With more tokens the panel is built when it comes into view."""

KINDS = {
    LogprobsPart.CONTENT: BlockKind.TEXT,
    LogprobsPart.REFUSAL: BlockKind.REFUSAL,
    LogprobsPart.TEXT: BlockKind.TEXT,
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
class UnlikelyToken:
    """One of the least likely tokens of a text."""

    position: int
    address: str
    """URL of the window that contains it."""
    token: tuple[TextSegment, ...]
    probability: str
    is_shown: bool


@dataclass(frozen=True, slots=True)
class LogprobsSummary:
    """Statistics over the tokens whose probability is known; ``left_out`` counts the others."""

    mean_logprob: str
    mean_probability: str
    perplexity: str
    left_out: int


@dataclass(frozen=True, slots=True)
class TokenTextDisplay:
    """One text of a choice with a window of its tokens; ``key`` names it in URLs."""

    choice: int
    part: LogprobsPart
    tokens: tuple[TokenDisplay, ...]
    start: int
    """Number of tokens before the window."""
    total: int
    window: int
    requested: int | None
    """Position of the token requested in the URL."""
    summed: LogprobsSummary | None
    unlikely: tuple[UnlikelyToken, ...]
    is_misaligned: bool
    """True if the tokens do not join to the text."""
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
        """Per token of the window, the data shown below the heat map on selection."""
        return [detail(token) for token in self.tokens]


@dataclass(frozen=True, slots=True)
class LogprobsDisplay:
    texts: tuple[TokenTextDisplay, ...]
    texts_left_out: int
    is_table: bool
    total: int
    legend: tuple[tuple[str, str], ...] = LEGEND


@dataclass(frozen=True, slots=True)
class TokenWindowRequest:
    """The requested window, parsed from ``0-content-2000``: choice, text and token position."""

    key: str = ""
    position: int | None = None


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None or unread_reason(view):
        return PanelBody(why_empty=unread_reason(view))
    total = sum(map(token_count, view.analysis.choices))
    if not total:
        return PanelBody(why_empty=why_empty(view, LOGPROBS).sentence)
    count = f"{total:,}"
    if total > MANY_TOKENS and not view.is_looked_at("logprobs"):
        return PanelBody(
            count, later=f"The probabilities of {plural(total, 'token')}, as a heat map."
        )
    texts = [text for choice in view.analysis.choices for text in texts_of(choice)]
    return PanelBody(count, logprobs_display(view, texts, total))


ChoiceTokens = tuple[Choice, Logprobs, Sequence[LogprobToken]]


def texts_of(choice: Choice) -> Iterator[ChoiceTokens]:
    """Yield the tokens of each text of a choice; answer and refusal are separate texts."""
    read = read_logprobs(choice)
    for _, tokens in groupby(read.tokens, key=lambda token: token.part):
        yield choice, read, tuple(tokens)


def logprobs_display(
    view: CaptureView, texts: Sequence[ChoiceTokens], total: int
) -> LogprobsDisplay:
    is_table = view.query_params.get("logprobs") == "table"
    most = WINDOW["table" if is_table else "heat"]
    window = max(MIN_WINDOW, most // len(texts))
    requested = parse_window_request(view.query_params.get("tokens", ""))
    return LogprobsDisplay(
        texts=tuple(
            token_text_display(view, text, window, requested) for text in texts[:MAX_TEXTS]
        ),
        texts_left_out=max(0, len(texts) - MAX_TEXTS),
        is_table=is_table,
        total=total,
    )


def parse_window_request(text: str) -> TokenWindowRequest:
    key, _, digits = text.rpartition("-")
    position = parse_whole_number(digits)
    return TokenWindowRequest() if position is None else TokenWindowRequest(key, position)


def token_text_display(
    view: CaptureView, text: ChoiceTokens, window: int, requested: TokenWindowRequest
) -> TokenTextDisplay:
    choice, read, tokens = text
    part = tokens[0].part
    wanted = requested.position if requested.key == f"{choice.index}-{part}" else None
    start = window_start(tokens, window, wanted)
    shown_tokens = tuple(window_of(view, choice, tokens, range(start, start + window)))
    positions = {token.position for token in shown_tokens}
    likely = tokens_with_probability(tokens)
    return TokenTextDisplay(
        choice=choice.index,
        part=part,
        tokens=shown_tokens,
        start=start,
        total=len(tokens),
        window=window,
        requested=wanted if wanted in positions else None,
        summed=summarize_logprobs([logprob for logprob, _ in likely], len(tokens)),
        unlikely=tuple(least_probable(likely, positions, f"{choice.index}-{part}")),
        is_misaligned=not read.aligned.get(part, True),
        has_alternatives=any(token.alternatives for token in tokens),
    )


def window_start(tokens: Sequence[LogprobToken], window: int, wanted: int | None) -> int:
    """Start of the window, a multiple of its length so that every window has one URL."""
    if wanted is None or not wanted < len(tokens):
        return 0
    return wanted // window * window


def window_of(
    view: CaptureView, choice: Choice, tokens: Sequence[LogprobToken], window: range
) -> Iterator[TokenDisplay]:
    text = text_of(choice, tokens[0].part)
    events = TokenEvents(view, choice, tokens[0].part, text)
    for number in window:
        if number >= len(tokens):
            return
        token = tokens[number]
        yield token_display_of(
            token, text, tokens_of_same_characters(tokens, number), events.of(token)
        )


def text_of(choice: Choice, part: LogprobsPart) -> str:
    text = {
        LogprobsPart.CONTENT: choice.content,
        LogprobsPart.REFUSAL: choice.refusal,
        LogprobsPart.TEXT: choice.text,
    }
    found = text[part]
    return found if isinstance(found, str) else ""


def tokens_of_same_characters(tokens: Sequence[LogprobToken], number: int) -> range:
    """Positions of the adjacent tokens that cover the same characters."""
    token = tokens[number]
    first = last = number
    if token.start is None or token.start == token.end:
        return range(token.position, token.position + 1)
    place = (token.start, token.end)
    lowest, highest = max(0, number - MAX_SHARED), min(len(tokens), number + MAX_SHARED) - 1
    while first > lowest and (tokens[first - 1].start, tokens[first - 1].end) == place:
        first -= 1
    while last < highest and (tokens[last + 1].start, tokens[last + 1].end) == place:
        last += 1
    return range(tokens[first].position, tokens[last].position + 1)


class TokenEvents:
    """Maps tokens to events; tokens must be queried in order."""

    def __init__(self, view: CaptureView, choice: Choice, part: LogprobsPart, text: str) -> None:
        self._provenance = view.provenance
        self._blocks = block_texts(choice, KINDS[part])
        self._text, self._at, self._at_u16 = text, 0, 0

    def of(self, token: LogprobToken) -> int | None:
        if self._provenance is None or token.start is None:
            return None
        self._at_u16 += length_u16(self._text[self._at : token.start])
        self._at = token.start
        place = place_in_lane(self._blocks, self._at, self._at_u16)
        return self._provenance.event_of_character(*place) if place else None


def tokens_with_probability(tokens: Sequence[LogprobToken]) -> list[tuple[float, LogprobToken]]:
    """Tokens that have a probability, each with its logprob."""
    return [
        (token.logprob, token)
        for token in tokens
        if is_number(token.logprob) and probability_of(token.logprob) is not None
    ]


def summarize_logprobs(logprobs: Sequence[float], total: int) -> LogprobsSummary | None:
    """Compute the statistics; None if no token has a probability."""
    if not logprobs:
        return None
    mean = math.fsum(logprobs) / len(logprobs)
    perplexity = math.exp(-mean) if mean > -700 else math.inf
    return LogprobsSummary(
        mean_logprob=with_sign(f"{mean:.4f}"),
        mean_probability=percent(math.exp(min(mean, 0))),
        perplexity=f"{perplexity:,.2f}" if perplexity < 1e6 else f"{perplexity:.1e}",
        left_out=total - len(logprobs),
    )


def least_probable(
    likely: Sequence[tuple[float, LogprobToken]], shown_positions: set[int], key: str
) -> Iterator[UnlikelyToken]:
    for _, token in nsmallest(MIN_PROBABLE, likely, key=itemgetter(0)):
        yield UnlikelyToken(
            token.position,
            f"{key}-{token.position}",
            quoted_token(token.text),
            probability_word(token.logprob),
            token.position in shown_positions,
        )


def detail(token: TokenDisplay) -> dict[str, Any]:
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


def joined(segments: tuple[TextSegment, ...]) -> str:
    return "".join(segment.text for segment in segments)


PANEL = Panel(position=90, slug="logprobs", title="Logprobs", draw=draw)
