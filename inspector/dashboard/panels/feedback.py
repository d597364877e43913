"""Feedback tokens: what each says, who could have issued it, and how a vote is sent with it."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.html import escape
from msgspec import UNSET

from inspector.core.analysis import Analysis, Verdict
from inspector.core.completion import Choice
from inspector.core.dialects import vendor_named
from inspector.core.feedback_token import FeedbackToken, TokenShape, read_token
from inspector.core.ledger import odd_cost
from inspector.dashboard.capture_view import CaptureView
from inspector.dashboard.marks import Segment, exact
from inspector.dashboard.panel import Drawn, Panel
from inspector.dashboard.panels import unread
from inspector.dashboard.templatetags.formats import plural
from inspector.dashboard.votes import ShownVote, shown_vote, tally_of, tally_words
from inspector.dashboard.why_empty import FEEDBACK, why_empty
from inspector.dashboard.wire import NOT_SENT, json_text, wire_word
from inspector.feedback.issuing import Issued

MOST_CHOICES = 50
MOST_VOTES = 10
"""Of one choice; the list of its votes has them all."""
SCRIPT = "feedback/button.js"
"""By the name that stays: pages elsewhere hold it for longer than one release."""
MOST_CHARACTERS = 1_000
"""A longer text is no token that anybody copies; the body has it."""

ISSUERS = {
    TokenShape.SIGNED: "From WorkflowAI or anybody who copies its format: only the server"
    " that signed it can verify it.",
    TokenShape.UNSIGNED: "From a WorkflowAI server without a key or anybody: it is not signed.",
    TokenShape.DOCUMENTED: "The format in WorkflowAI's documentation: it does not name an issuer.",
    TokenShape.UNKNOWN: "Unknown format",
}


@dataclass(frozen=True, slots=True)
class ShownPart:
    name: str
    meaning: str
    value: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class ShownToken:
    text: tuple[Segment, ...]
    more: int
    """Characters that are not shown."""
    issuer: str
    parts: tuple[ShownPart, ...]
    """What it says of itself; nobody verified it."""
    command: str
    """Sends a vote; empty where the token is not whole on the page."""


@dataclass(frozen=True, slots=True)
class OwnToken:
    """A token of ours, made a moment ago, with the two ways to vote by it."""

    token: str
    expires_at: datetime
    command: str
    button: str
    """HTML for a page beside the answer."""


@dataclass(frozen=True, slots=True)
class Stated:
    """What is stated of one choice; ``*_sent`` is False where a word stands for nothing."""

    index: int
    token: ShownToken | None
    why_none: str
    cost_usd: str
    cost_sent: bool
    duration_seconds: str
    duration_sent: bool
    votes: tuple[ShownVote, ...]
    more_votes: int
    tally: str
    """In words; empty where nobody voted."""
    own: OwnToken | None


@dataclass(frozen=True, slots=True)
class Feedback:
    choices: tuple[Stated, ...]
    tokens: int
    votes: int
    may_issue: bool
    is_voted: bool
    """There are votes, or somebody looks who may make tokens for them."""
    why_none: str
    """Why nothing stands in the response; empty where something does."""
    more: int
    """Choices that are not shown."""
    following: int


def draw(view: CaptureView) -> Drawn:
    if view.analysis is None or unread(view):
        return Drawn(why_empty=unread(view))
    choices = view.analysis.choices
    is_stated = any(states(choice) for choice in choices)
    why_empty_now = "" if is_stated else why_empty(view, FEEDBACK).sentence
    if not choices or not (is_stated or view.votes or view.may_issue):
        return Drawn(why_empty=why_empty_now)
    start = start_of(view, len(choices))
    shown = choices[start : start + MOST_CHOICES]
    tokens = sum(is_token(choice.feedback_token) for choice in choices)
    votes = sum(map(len, view.votes.values()))
    following = start + len(shown)
    content = Feedback(
        choices=tuple(stated(choice, view) for choice in shown),
        tokens=tokens,
        votes=votes,
        may_issue=view.may_issue and view.stored,
        is_voted=bool(votes) or view.may_issue and view.stored,
        why_none=why_empty_now,
        more=len(choices) - following,
        following=following,
    )
    return Drawn(count_of(votes, tokens), content)


def count_of(votes: int, tokens: int) -> str:
    return plural(votes, "vote") if votes else str(tokens) if tokens else "no token"


def start_of(view: CaptureView, total: int) -> int:
    return min(view.number("feedback_from") or 0, total - 1)


def states(choice: Choice) -> bool:
    cost = choice.cost_usd if odd_cost(choice) is UNSET else odd_cost(choice)
    fields = (choice.feedback_token, cost, choice.duration_seconds)
    return any(field is not UNSET for field in fields)


def stated(choice: Choice, view: CaptureView) -> Stated:
    assert view.analysis is not None, "it has choices"
    token, analysis, odd = choice.feedback_token, view.analysis, odd_cost(choice)
    votes = view.votes.get(choice.index, ())
    issued = view.issued[1] if view.issued and view.issued[0] == choice.index else None
    return Stated(
        index=choice.index,
        token=shown_token(token, analysis) if isinstance(token, str) and token else None,
        why_none="" if is_token(token) else why_none(token, analysis),
        cost_usd=wire_word(choice.cost_usd) if odd is UNSET else f"{json_text(odd)}: not an amount",
        cost_sent=odd is not UNSET or is_sent(choice.cost_usd),
        duration_seconds=wire_word(choice.duration_seconds),
        duration_sent=is_sent(choice.duration_seconds),
        votes=tuple(map(shown_vote, votes[:MOST_VOTES])),
        more_votes=max(0, len(votes) - MOST_VOTES),
        tally=tally_words(tally_of(votes)) if votes else "",
        own=own_token(issued) if issued else None,
    )


def is_sent(value: object) -> bool:
    return value is not UNSET and value is not None and value != ""


def is_token(value: object) -> bool:
    return isinstance(value, str) and value != ""


def shown_token(token: str, analysis: Analysis) -> ShownToken:
    read = read_token(token)
    more = max(0, len(token) - MOST_CHARACTERS)
    return ShownToken(
        text=exact(token[:MOST_CHARACTERS]),
        more=more,
        issuer=issuer_of(read, analysis),
        parts=tuple(ShownPart(part.name, part.meaning, exact(part.value)) for part in read.parts),
        command="" if more else vote(token),
    )


def issuer_of(token: FeedbackToken, analysis: Analysis) -> str:
    vendor = vendor_named(analysis.vendor)
    if token.shape is not TokenShape.UNKNOWN:
        return ISSUERS[token.shape]
    told = f"; the body is like {vendor.title}'s" if vendor else ""
    return f"{ISSUERS[token.shape]}{told}."


def own_token(issued: Issued) -> OwnToken:
    endpoint = endpoint_of(issued.team_slug)
    return OwnToken(
        token=issued.token,
        expires_at=issued.expires_at,
        command=vote(issued.token, shlex.quote(endpoint)),
        button=button(issued.token, endpoint),
    )


def endpoint_of(team_slug: str) -> str:
    return f"{settings.ORIGIN}/t/{team_slug}/v1/feedback"


def button(token: str, endpoint: str) -> str:
    """A form that works by itself; the script spares the page a visit to the answer."""
    script = f"{settings.ORIGIN}{settings.STATIC_URL}{SCRIPT}"
    return (
        f'<form method="post" action="{escape(endpoint)}" data-feedback-token="{escape(token)}">\n'
        f'  <input type="hidden" name="feedback_token" value="{escape(token)}">\n'
        '  <button name="outcome" value="positive">Good answer</button>\n'
        '  <button name="outcome" value="negative">Bad answer</button>\n'
        "</form>\n"
        f'<script async src="{escape(script)}"></script>'
    )


def vote(token: str, address: str = '"$ISSUER/v1/feedback"') -> str:
    """The call of WorkflowAI's clients: no key, the token is the proof."""
    body = json.dumps({"feedback_token": token, "outcome": "positive"})
    return (
        f"curl -X POST {address} \\\n"
        "  -H 'Content-Type: application/json' \\\n"
        f"  -d {shlex.quote(body)}"
    )


def why_none(token: object, analysis: Analysis) -> str:
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
