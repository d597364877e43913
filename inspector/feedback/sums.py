"""Sums of live votes by the hour and the day, changed in the transaction that changes the votes."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from inspector.database import bulk
from inspector.feedback.models import DAY_SECONDS, SPANS, Vote, VoteSum

ADD = (
    "ON CONFLICT (team_id, span_seconds, start, outcome) DO UPDATE SET"
    " votes = feedback_votesum.votes + excluded.votes"
)
# Only these columns are loaded of a vote: its comment may be long.
COUNTED_FIELDS = ("team", "created_at", "outcome")


class VoteCell(NamedTuple):
    """The place of one sum. Transactions take them in this order: none waits in a circle."""

    team_id: int
    span_seconds: int
    start: datetime
    outcome: str


def move_votes(gone: Iterable[Vote], come: Iterable[Vote]) -> None:
    """Votes that are no longer live, and those that are from now on."""
    changes = Counter(cell for vote in come for cell in cells_of(vote))
    changes.subtract(cell for vote in gone for cell in cells_of(vote))
    cells = sorted(cell for cell, votes in changes.items() if votes)
    bulk.bulk_insert(
        [VoteSum(**cell._asdict(), votes=changes[cell]) for cell in cells], on_conflict=ADD
    )
    for cell in cells:
        if changes[cell] < 0:
            VoteSum.objects.filter(**cell._asdict(), votes=0).delete()


def cells_of(vote: Vote) -> Iterable[VoteCell]:
    for span_seconds in SPANS:
        start = start_of(vote.created_at, span_seconds)
        yield VoteCell(vote.team_id, span_seconds, start, vote.outcome)


def start_of(moment: datetime, span_seconds: int) -> datetime:
    hour = moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
    return hour.replace(hour=0) if span_seconds == DAY_SECONDS else hour
