"""The choice of a capture that a vote is about.

Voters hold a token and no key: callers have already verified which team and choice a token names,
and learn nothing else.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum, auto
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from inspector.archive.models import DELETED, Capture, ChoiceRow, TokenTombstone
from inspector.archive.visible_captures import visible_captures


@dataclass(frozen=True, slots=True)
class VotableChoices:
    """The choices that can be voted on, by number; none before the capture is inspected."""

    state: str
    numbers: tuple[int, ...]


class VoteTarget(Enum):
    THERE = auto()
    GONE = auto()
    """The capture was deleted."""
    UNKNOWN = auto()
    """Never there, not this team's, not inspected yet, or without such a choice."""


def vote_target(team_id: int, capture_id: UUID, choice: int) -> VoteTarget:
    # One query whatever the outcome: the time taken tells a voter nothing.
    rows = ChoiceRow.objects.filter(capture=OuterRef("pk"), index=choice)
    there = Q(Exists(rows), inspection__isnull=False) | Q(state__in=DELETED)
    found = Capture.objects.filter(there, pk=capture_id, team=team_id)
    state = found.values_list("state", flat=True).first()
    if state is None:
        return VoteTarget.UNKNOWN
    return VoteTarget.GONE if state in DELETED else VoteTarget.THERE


def lock_vote_target(team_id: int, capture_id: UUID, choice: int) -> VoteTarget:
    """Return the state of a vote's target and locks its capture against deletion and reinspection
    until the transaction ends. Raises ``TransactionManagementError`` outside of one.
    """
    locked = Capture.objects.filter(pk=capture_id, team=team_id).select_for_update(no_key=True)
    # Locked in a query of its own: ``FOR UPDATE`` cannot lock the joined, optional inspection.
    locked.only("id").first()
    return vote_target(team_id, capture_id, choice)


def votable_choices(team_ids: Collection[int], capture_id: UUID) -> VotableChoices | None:
    """Return the choices that can be voted on; None where these teams have no such capture."""
    capture = visible_captures(team_ids).filter(pk=capture_id)
    state = capture.values_list("state", flat=True).first()
    if state is None:
        return None
    rows = ChoiceRow.objects.filter(capture=capture_id).order_by("position")
    numbers = rows.values_list("index", flat=True)
    return VotableChoices(state, tuple(number for number in numbers if number is not None))


def was_deleted(team_id: int, token_sha256: str) -> bool:
    """Did a capture that was deleted carry this token?"""
    return TokenTombstone.objects.filter(capture__team=team_id, sha256=token_sha256).exists()
