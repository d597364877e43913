"""A vote as lists show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from inspector.core.feedback_token import TokenShape
from inspector.dashboard.verdicts import Word, word_for
from inspector.feedback.queries import Tally, VoteRow

LINE_CHARACTERS = 300
"""Of a comment in a list; the page of the vote has it whole."""
VERIFIED = "verified"
UNVERIFIED = "unverified"
TOKEN_WORDS = {
    "own": "our own token, verified",
    TokenShape.SIGNED: "a token in WorkflowAI’s signed format, unverified",
    TokenShape.UNSIGNED: "a token of a WorkflowAI server without a key, unverified",
    TokenShape.DOCUMENTED: "a token as in WorkflowAI’s documentation, unverified",
    TokenShape.UNKNOWN: "a token of unknown format from a capture, unverified",
}


@dataclass(frozen=True, slots=True)
class ShownVote:
    row: VoteRow
    verdict: Word | None
    """Of the capture; None while the vote waits for it."""
    href: str
    """The exact choice; empty while there is none."""
    line: str
    """The comment on one line."""

    @property
    def is_negative(self) -> bool:
        return self.row.outcome == "negative"

    @property
    def token(self) -> str:
        return VERIFIED if self.row.is_verified else UNVERIFIED

    @property
    def token_words(self) -> str:
        return TOKEN_WORDS.get(self.row.token_kind, UNVERIFIED)


def shown_vote(row: VoteRow) -> ShownVote:
    return ShownVote(
        row=row,
        verdict=word_for("inspected", row.verdict) if row.verdict else None,
        href=choice_url(row.capture_id, row.choice),
        line=" ".join((row.comment or "")[: 4 * LINE_CHARACTERS].split())[:LINE_CHARACTERS],
    )


def choice_url(capture_id: UUID | None, choice: int | None) -> str:
    if capture_id is None or choice is None:
        return ""
    return f"{reverse('dashboard:capture', args=[capture_id])}#choice-{choice}"


def tally_of(rows: Iterable[VoteRow]) -> Tally:
    outcomes = [row.outcome for row in rows]
    negative = outcomes.count("negative")
    return Tally(len(outcomes) - negative, negative)


def tally_words(tally: Tally) -> str:
    """``3 positive, 1 negative``; what there is none of is not named."""
    named = ((tally.positive, "positive"), (tally.negative, "negative"))
    return ", ".join(f"{number:,} {word}" for number, word in named if number) or "no votes"
