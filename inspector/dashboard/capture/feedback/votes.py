"""Votes on the choices that a page shows, and the tokens to vote with."""

from collections.abc import Mapping

from inspector.dashboard.capture.page.capture_view import CaptureView
from inspector.dashboard.feedback.vote_rows import tally_of, tally_words
from inspector.feedback import queries as feedback
from inspector.feedback.issue_tokens import IssuedToken
from inspector.feedback.queries import VoteRow
from inspector.teams.access import FEEDBACK

Votes = Mapping[int, tuple[VoteRow, ...]]


def votes_of(view: CaptureView) -> Votes:
    """Votes by choice, newest first."""
    return feedback.for_principal(view.seen_by).of_capture(view.id) if view.seen_by else {}


def vote_words(view: CaptureView, choice: int) -> str:
    votes = view.once(votes_of).get(choice)
    return tally_words(tally_of(votes)) if votes else ""


def may_issue(view: CaptureView) -> bool:
    """Return True if the user may issue and revoke tokens for the choices."""
    team = view.seen_by.team(view.facts.team_slug) if view.seen_by else None
    return team is not None and FEEDBACK in team.scopes


def just_issued(view: CaptureView) -> tuple[int, IssuedToken] | None:
    """Choice and token, in the one answer that shows it: who issues it lays it ready."""
    return None
