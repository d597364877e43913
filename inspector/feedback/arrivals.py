"""Votes that came since a page was drawn, and those that they took the place of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inspector.archive.cursor import Cursor
from inspector.feedback.models import Vote
from inspector.feedback.queries import ALL, ORDER, VoteFilters, VoteRow, Votes, row_of

MOST = 50
MOST_SEEN = 200
OVERLAP = timedelta(seconds=10)
"""A vote says its time before it is stored, by the clock of its host: one that is stored later
may be older. So what is this young is asked for again, without those that were shown."""


@dataclass(frozen=True, slots=True)
class Arrived:
    newest: str
    """The cursor to ask from next."""
    seen: tuple[UUID, ...]
    """Shown already, and so young that they would be found again."""
    rows: tuple[VoteRow, ...] = ()
    """Newest first."""
    superseded: tuple[UUID, ...] = ()
    """No longer live: whoever cast them said something else meanwhile."""
    more: bool = False


def nothing_yet(rows: Iterable[VoteRow], now: datetime) -> Arrived:
    """Where a page begins that shows these rows."""
    seen = tuple(row.id for row in rows if row.created_at >= now - OVERLAP)
    return Arrived(str(Cursor(now, UUID(int=0))), seen)


def arrived(votes: Votes, after: str, seen: Iterable[UUID], filters: VoteFilters = ALL) -> Arrived:
    """Raises ``BadCursor``."""
    cursor, shown = Cursor.parse(after), [*seen][:MOST_SEEN]
    since = cursor.received_at - OVERLAP
    young = votes.narrowed(filters).filter(created_at__gte=since).exclude(pk__in=shown)
    found = list(young.order_by(*ORDER.oldest_first)[: MOST + 1])
    came = found[:MOST]
    newest = max([cursor.received_at, *(vote.created_at for vote in came)])
    start, told = _told(votes, [*shown, *(vote.pk for vote in came)], newest - OVERLAP)
    return Arrived(
        newest=str(Cursor(start + OVERLAP, cursor.id)),
        seen=told,
        rows=tuple(map(row_of, reversed(came))),
        superseded=_superseded(votes, since),
        more=len(found) > MOST,
    )


def _told(votes: Votes, ids: list[UUID], start: datetime) -> tuple[datetime, tuple[UUID, ...]]:
    """From when on to ask again, and what was told since then: of more than can be named, the
    newest, and nothing before them is asked for again. In a burst the next ones come so, and
    what is stored late is not found.
    """
    again = votes.live().filter(pk__in=ids, created_at__gte=start).order_by(*ORDER.newest_first)
    told = list(again.values_list("created_at", "pk")[: MOST_SEEN + 1])
    if len(told) > MOST_SEEN:
        start = told[MOST_SEEN][0] + timedelta(microseconds=1)
    return start, tuple(pk for created_at, pk in told if created_at >= start)


def rows(votes: Votes, ids: Iterable[UUID]) -> tuple[VoteRow, ...]:
    """Live ones, newest first."""
    found = votes.live().filter(pk__in=[*ids][:MOST_SEEN])
    return tuple(map(row_of, found.order_by(*ORDER.newest_first)))


def _superseded(votes: Votes, since: datetime) -> tuple[UUID, ...]:
    young = votes.live().filter(created_at__gte=since).order_by("-created_at")
    tokens = list(young.values_list("token_sha256", flat=True)[:MOST_SEEN])
    gone = Vote.objects.filter(team__in=votes.team_ids, token_sha256__in=tokens)
    return tuple(gone.filter(superseded_at__gte=since).values_list("pk", flat=True)[:MOST_SEEN])
