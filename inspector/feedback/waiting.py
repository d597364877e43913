"""Votes that arrived before their capture: stored if the team wants it, within limits."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from inspector.feedback.models import WAITING, Vote, VoteWaitingRoom
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.names import actor_name

LONGEST_WAIT = timedelta(days=30)
AT_ONCE = 1_000
MOST = 10_000
"""Votes of a team, live and superseded."""
MAX_BYTES = 8_000_000
# One network may use a tenth of either limit.
PART_PER_SOURCE = 10
COMMENT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class WaitingRoomState:
    """``opened_at`` None: no vote waits that is not there already."""

    opened_at: datetime | None
    opened_by: str
    votes: int
    byte_length: int


def is_open(team_id: int) -> bool:
    return VoteWaitingRoom.objects.filter(team=team_id).exists()


def waiting_room_of(principal: Principal) -> WaitingRoomState:
    """The state of the waiting room of the teams that the principal manages."""
    managed = principal.team_ids(MANAGE)
    room = VoteWaitingRoom.objects.filter(team__in=managed).first()
    totals = _waiting_totals(_waiting(managed))
    if room is None:
        return WaitingRoomState(None, "", totals.votes, totals.byte_length)
    return WaitingRoomState(room.opened_at, room.opened_by, totals.votes, totals.byte_length)


def open_room(principal: Principal) -> None:
    by, team_ids = actor_name(principal)[:200], principal.team_ids(MANAGE)
    rooms = [VoteWaitingRoom(team_id=team_id, opened_by=by) for team_id in team_ids]
    with transaction.atomic():
        VoteWaitingRoom.objects.bulk_create(rooms, ignore_conflicts=True)
        _note(principal, Act.ROOM_OPENED)


def close_room(principal: Principal) -> None:
    """Stops keeping unmatched votes; those already waiting go on waiting."""
    with transaction.atomic():
        VoteWaitingRoom.objects.filter(team__in=principal.team_ids(MANAGE)).delete()
        _note(principal, Act.ROOM_CLOSED)


def is_full(team_id: int, source: str | None, byte_length: int) -> bool:
    """Tells whether one more vote of this length exceeds the limits of the team or of its
    source.
    """
    totals = _waiting_totals(_waiting([team_id]), source)
    if totals.votes >= MOST or totals.byte_length + byte_length > MAX_BYTES:
        return True
    if source is None:
        return False
    own_byte_length = totals.own_byte_length + byte_length
    return (
        totals.own_votes >= MOST // PART_PER_SOURCE
        or own_byte_length > MAX_BYTES // PART_PER_SOURCE
    )


def forget_all(principal: Principal) -> int:
    """Deletes all votes waiting for captures of the principal's teams; returns their number."""
    waiting, forgotten = _waiting(principal.team_ids(MANAGE)), 0
    # Others may come meanwhile: nobody waits until none does.
    for _ in range(2 * MOST // AT_ONCE):
        gone = _forget(waiting)
        forgotten += gone
        if gone < AT_ONCE:
            break
    _note(principal, Act.VOTES_FORGOTTEN, str(forgotten))
    return forgotten


def forget_old() -> int:
    """Deletes votes that have waited too long; returns their number, below ``AT_ONCE`` where none
    is left.
    """
    return _forget(Vote.objects.filter(WAITING, created_at__lt=timezone.now() - LONGEST_WAIT))


def _note(by: Principal, act: Act, on: str = "") -> None:
    for team_id in by.team_ids(MANAGE):
        note(by, team_id, act, on)


def _waiting(team_ids: list[int]) -> QuerySet[Vote]:
    return Vote.objects.filter(WAITING, team__in=team_ids)


@dataclass(frozen=True, slots=True)
class _WaitingTotals:
    """Number and size of waiting votes, in all and of one source (``own``)."""

    votes: int
    byte_length: int
    own_votes: int
    own_byte_length: int


def _waiting_totals(waiting: QuerySet[Vote], source: str | None = None) -> _WaitingTotals:
    """Read from the index alone, whose rows are no more than ``MOST``."""
    own = Q(source=source) if source is not None else Q(pk__in=())
    length = Coalesce(Sum("byte_length"), 0)
    own_length = Coalesce(Sum("byte_length", filter=own), 0)
    counts = waiting.order_by().aggregate(
        votes=Count("team"),
        length=length,
        own_votes=Count("team", filter=own),
        own_length=own_length,
    )
    return _WaitingTotals(
        counts["votes"], counts["length"], counts["own_votes"], counts["own_length"]
    )


def _forget(votes: QuerySet[Vote]) -> int:
    with transaction.atomic():
        # Held, or one could be attached before it is deleted: its capture came after all.
        locked = votes.order_by("pk").select_for_update(skip_locked=True)
        ids = list(locked.values_list("pk", flat=True)[:AT_ONCE])
        _, gone = Vote.objects.filter(WAITING, pk__in=ids).only("pk").delete()
    return gone.get(Vote._meta.label, 0)
