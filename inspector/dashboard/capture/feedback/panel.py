"""Feedback panel: tokens found in the response, their contents, and how to vote with them."""

import shlex
from dataclasses import dataclass
from datetime import datetime

from msgspec import UNSET

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Choice
from inspector.core.tokens.ledger import odd_cost
from inspector.core.vendors import vendor_named
from inspector.dashboard.capture.feedback.votes import just_issued, may_issue, vote_words, votes_of
from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.capture.page.panel_body import Panel, PanelBody, unread_reason
from inspector.dashboard.capture.page.why_empty import FEEDBACK, why_empty
from inspector.dashboard.feedback.embed_code import endpoint_of, vote_command, vote_form
from inspector.dashboard.feedback.vote_rows import VoteDisplay, vote_display
from inspector.feedback.feedback_token import DecodedFeedbackToken, FeedbackTokenShape, read_token
from inspector.feedback.issue_tokens import IssuedToken
from inspector.formatting.humanize import plural
from inspector.formatting.invisible_characters import TextSegment, exact_segments
from inspector.formatting.wire_values import NOT_SENT, json_text, wire_word

MAX_CHOICES = 50
"""Choices on one part of the page: each has a form."""
MAX_VOTES = 10
"""Votes shown per choice; the votes page lists all of them."""
MAX_CHARACTERS = 1_000
"""A longer token is cut on the page: nobody copies it by hand, and the body has it."""

ISSUERS = {
    FeedbackTokenShape.SIGNED: "From WorkflowAI or anybody who copies its format: only the server"
    " that signed it can verify it.",
    FeedbackTokenShape.UNSIGNED: "From a WorkflowAI server without a key or anybody: it is not"
    " signed.",
    FeedbackTokenShape.DOCUMENTED: "The format in WorkflowAI's documentation: it does not name"
    " an issuer.",
    FeedbackTokenShape.UNKNOWN: "Unknown format",
}


@dataclass(frozen=True, slots=True)
class TokenPartDisplay:
    name: str
    meaning: str
    value: tuple[TextSegment, ...]


@dataclass(frozen=True, slots=True)
class FeedbackTokenDisplay:
    text: tuple[TextSegment, ...]
    more: int
    """Characters left out."""
    issuer: str
    parts: tuple[TokenPartDisplay, ...]
    """The token's decoded fields, unverified."""
    command: str
    """Command that sends a vote; empty if the token is not complete on the page."""


@dataclass(frozen=True, slots=True)
class IssuedTokenDisplay:
    """A token just issued by this installation, with two ways to vote with it."""

    token: str
    expires_at: datetime
    command: str
    button: str
    """HTML of a vote form to embed beside the answer."""


@dataclass(frozen=True, slots=True)
class ChoiceFeedbackDisplay:
    """Feedback data of one choice; a ``*_sent`` field is False for a placeholder word."""

    index: int
    token: FeedbackTokenDisplay | None
    why_none: str
    cost_usd: str
    cost_sent: bool
    duration_seconds: str
    duration_sent: bool
    votes: tuple[VoteDisplay, ...]
    more_votes: int
    tally: str
    """Votes in words; empty if there are none."""
    own: IssuedTokenDisplay | None


@dataclass(frozen=True, slots=True)
class FeedbackDisplay:
    choices: tuple[ChoiceFeedbackDisplay, ...]
    tokens: int
    votes: int
    may_issue: bool
    is_voted: bool
    """True if there are votes, or the user may issue tokens."""
    why_none: str
    """Why the response contains no token; empty if it does."""
    more: int
    """Number of choices beyond the limit."""
    following: int


def draw(view: CaptureView) -> PanelBody:
    if view.analysis is None or unread_reason(view):
        return PanelBody(why_empty=unread_reason(view))
    choices = view.analysis.choices
    is_stated = any(has_feedback(choice) for choice in choices)
    why_empty_now = "" if is_stated else why_empty(view, FEEDBACK).sentence
    if not choices or not (is_stated or view.once(votes_of) or may_issue(view)):
        return PanelBody(why_empty=why_empty_now)
    start = first_choice_index(view, len(choices))
    page = choices[start : start + MAX_CHOICES]
    tokens = sum(is_token(choice.feedback_token) for choice in choices)
    votes = sum(map(len, view.once(votes_of).values()))
    following = start + len(page)
    content = FeedbackDisplay(
        choices=tuple(choice_feedback_display(choice, view) for choice in page),
        tokens=tokens,
        votes=votes,
        may_issue=may_issue(view),
        is_voted=bool(votes) or may_issue(view),
        why_none=why_empty_now,
        more=len(choices) - following,
        following=following,
    )
    is_quiet = not (is_stated or votes or view.once(just_issued))
    return PanelBody(
        panel_count(votes, tokens), content, why_empty="Nobody has voted." if is_quiet else ""
    )


def panel_count(votes: int, tokens: int) -> str:
    return plural(votes, "vote") if votes else str(tokens) if tokens else "no token"


def first_choice_index(view: CaptureView, total: int) -> int:
    return min(view.number("feedback_from") or 0, total - 1)


def has_feedback(choice: Choice) -> bool:
    cost = choice.cost_usd if odd_cost(choice) is UNSET else odd_cost(choice)
    fields = (choice.feedback_token, cost, choice.duration_seconds)
    return any(field is not UNSET for field in fields)


def choice_feedback_display(choice: Choice, view: CaptureView) -> ChoiceFeedbackDisplay:
    assert view.analysis is not None, "it has choices"
    token, analysis, odd = choice.feedback_token, view.analysis, odd_cost(choice)
    votes = view.once(votes_of).get(choice.index, ())
    at, issued = view.once(just_issued) or (None, None)
    return ChoiceFeedbackDisplay(
        index=choice.index,
        token=feedback_token_display(token, analysis) if isinstance(token, str) and token else None,
        why_none="" if is_token(token) else why_no_token(token, analysis),
        cost_usd=wire_word(choice.cost_usd) if odd is UNSET else f"{json_text(odd)}: not an amount",
        cost_sent=odd is not UNSET or is_sent(choice.cost_usd),
        duration_seconds=wire_word(choice.duration_seconds),
        duration_sent=is_sent(choice.duration_seconds),
        votes=tuple(map(vote_display, votes[:MAX_VOTES])),
        more_votes=max(0, len(votes) - MAX_VOTES),
        tally=vote_words(view, choice.index),
        own=issued_token_display(issued) if issued and at == choice.index else None,
    )


def is_sent(value: object) -> bool:
    return value is not UNSET and value is not None and value != ""


def is_token(value: object) -> bool:
    return isinstance(value, str) and value != ""


def feedback_token_display(token: str, analysis: Analysis) -> FeedbackTokenDisplay:
    read = read_token(token)
    more = max(0, len(token) - MAX_CHARACTERS)
    return FeedbackTokenDisplay(
        text=exact_segments(token[:MAX_CHARACTERS]),
        more=more,
        issuer=issuer_of(read, analysis),
        parts=tuple(
            TokenPartDisplay(part.name, part.meaning, exact_segments(part.value))
            for part in read.parts
        ),
        command="" if more else vote_command(token),
    )


def issuer_of(token: DecodedFeedbackToken, analysis: Analysis) -> str:
    vendor = vendor_named(analysis.vendor)
    if token.shape is not FeedbackTokenShape.UNKNOWN:
        return ISSUERS[token.shape]
    likeness = f"; the body is like {vendor.title}'s" if vendor else ""
    return f"{ISSUERS[token.shape]}{likeness}."


def issued_token_display(issued: IssuedToken) -> IssuedTokenDisplay:
    endpoint = endpoint_of(issued.team_slug)
    return IssuedTokenDisplay(
        token=issued.token,
        expires_at=issued.expires_at,
        command=vote_command(issued.token, shlex.quote(endpoint)),
        button=vote_form(issued.token, endpoint),
    )


def why_no_token(token: object, analysis: Analysis) -> str:
    if token is None or token == "":
        return f"none: {wire_word(token)} was sent"
    if token is not UNSET:
        return f"none: {json_text(token)[:80]} is not a text"
    if analysis.dialect != "workflowai":
        return f"{NOT_SENT}: {analysis.dialect} does not define one"
    if analysis.streamed and analysis.verdict is not Verdict.COMPLETE:
        return f"{NOT_SENT}: it comes with the last chunk, and the stream is {analysis.verdict}"
    return NOT_SENT


PANEL = Panel(position=80, slug="feedback", title="Feedback", draw=draw)
