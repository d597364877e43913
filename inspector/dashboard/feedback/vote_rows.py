"""One row of the votes list as the template renders it."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.urls import reverse

from inspector.feedback.feedback_token import FeedbackTokenShape
from inspector.feedback.queries import VoteRow, VoteTally
from inspector.formatting.verdicts import VerdictLabel, verdict_label

COMMENT_CHARACTERS = 300
"""Characters of a comment shown in the list; the vote's page shows all."""
VERIFIED = "verified"
UNVERIFIED = "unverified"
TOKEN_WORDS = {
    "own": "our own token, verified",
    FeedbackTokenShape.SIGNED: "a token in WorkflowAI’s signed format, unverified",
    FeedbackTokenShape.UNSIGNED: "a token of a WorkflowAI server without a key, unverified",
    FeedbackTokenShape.DOCUMENTED: "a token as in WorkflowAI’s documentation, unverified",
    FeedbackTokenShape.UNKNOWN: "a token of unknown format from a capture, unverified",
}


@dataclass(frozen=True, slots=True)
class VoteDisplay:
    row: VoteRow
    verdict: VerdictLabel | None
    """Verdict and result of the capture; None where it has no inspection."""
    href: str
    """Link to the choice; empty while there is none."""
    line: str
    """The comment on one line."""

    @property
    def token(self) -> str:
        return VERIFIED if self.row.is_verified else UNVERIFIED

    @property
    def token_words(self) -> str:
        return TOKEN_WORDS.get(self.row.token_kind, UNVERIFIED)


def vote_display(row: VoteRow) -> VoteDisplay:
    return VoteDisplay(
        row=row,
        verdict=verdict_label("inspected", row.verdict, row.result) if row.verdict else None,
        href=choice_url(row.capture_id, row.choice),
        line=" ".join((row.comment or "")[: 4 * COMMENT_CHARACTERS].split())[:COMMENT_CHARACTERS],
    )


def choice_url(capture_id: UUID, choice: int) -> str:
    return f"{reverse('dashboard:capture', args=[capture_id])}#choice-{choice}"


def tally_of(rows: Iterable[VoteRow]) -> VoteTally:
    outcomes = [row.outcome for row in rows]
    negative = outcomes.count("negative")
    return VoteTally(len(outcomes) - negative, negative)


def tally_words(tally: VoteTally) -> str:
    """``3 positive, 1 negative``; zero counts are omitted."""
    named = ((tally.positive, "positive"), (tally.negative, "negative"))
    return ", ".join(f"{number:,} {word}" for number, word in named if number) or "no votes"
