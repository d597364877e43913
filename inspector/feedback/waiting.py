"""Votes whose captures have not come: kept where a team wants them, bounded, and not for ever."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from inspector.feedback.models import WAITING, Vote, WaitingRoom
from inspector.teams.access import MANAGE, Principal
from inspector.teams.audit import Act, note
from inspector.teams.naming import name_of

LONGEST = timedelta(days=30)
AT_ONCE = 1_000
MOST = 10_000
"""Votes of a team, live and superseded."""
MOST_BYTES = 8_000_000
SHARE = 10
"""One network may take the tenth part of either."""
COMMENT_CHARACTERS = 500


@dataclass(frozen=True, slots=True)
class Room:
    """``opened_at`` None: no vote waits that is not there already."""

    opened_at: datetime | None
    opened_by: str
    votes: int
    byte_length: int


def is_open(team_id: int) -> bool:
    return WaitingRoom.objects.filter(team=team_id).exists()


def room_of(principal: Principal) -> Room:
    """Of the teams that the asker manages, which are one on every page."""
    managed = principal.team_ids(MANAGE)
    room = WaitingRoom.objects.filter(team__in=managed).first()
    held = _held(_waiting(managed))
    if room is None:
        return Room(None, "", held.votes, held.byte_length)
    return Room(room.opened_at, room.opened_by, held.votes, held.byte_length)


def open_room(principal: Principal) -> None:
    by, team_ids = name_of(principal)[:200], principal.team_ids(MANAGE)
    rooms = [WaitingRoom(team_id=id, opened_by=by) for id in team_ids]
    with transaction.atomic():
        WaitingRoom.objects.bulk_create(rooms, ignore_conflicts=True)
        _note(principal, Act.ROOM_OPENED)


def close_room(principal: Principal) -> None:
    """What waits already goes on waiting."""
    with transaction.atomic():
        WaitingRoom.objects.filter(team__in=principal.team_ids(MANAGE)).delete()
        _note(principal, Act.ROOM_CLOSED)


def is_full(team_id: int, source: str | None, byte_length: int) -> bool:
    """Whether one more of this length is too much, for the team or for where it comes from."""
    held = _held(_waiting([team_id]), source)
    if held.votes >= MOST or held.byte_length + byte_length > MOST_BYTES:
        return True
    if source is None:
        return False
    own_byte_length = held.own_byte_length + byte_length
    return held.own_votes >= MOST // SHARE or own_byte_length > MOST_BYTES // SHARE


def forget_all(principal: Principal) -> int:
    """How many were forgotten of those that wait for the asker's captures."""
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
    """How many were forgotten; fewer than ``AT_ONCE`` where none is left."""
    return _forget(Vote.objects.filter(WAITING, created_at__lt=timezone.now() - LONGEST))


def _note(by: Principal, act: Act, on: str = "") -> None:
    for team_id in by.team_ids(MANAGE):
        note(by, team_id, act, on)


def _waiting(team_ids: list[int]) -> QuerySet[Vote]:
    return Vote.objects.filter(WAITING, team__in=team_ids)


@dataclass(frozen=True, slots=True)
class _Held:
    """``own``: of one source."""

    votes: int
    byte_length: int
    own_votes: int
    own_byte_length: int


def _held(waiting: QuerySet[Vote], source: str | None = None) -> _Held:
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
    return _Held(counts["votes"], counts["length"], counts["own_votes"], counts["own_length"])


def _forget(votes: QuerySet[Vote]) -> int:
    with transaction.atomic():
        # Held, or one could be attached before it is deleted: its capture came after all.
        held = votes.order_by("pk").select_for_update(skip_locked=True)
        ids = list(held.values_list("pk", flat=True)[:AT_ONCE])
        _, gone = Vote.objects.filter(WAITING, pk__in=ids).only("pk").delete()
    return gone.get(Vote._meta.label, 0)
