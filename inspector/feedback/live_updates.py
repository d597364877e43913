"""Votes that arrived since a page was rendered, and those that they supersede."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from inspector.archive.listing.cursor import Cursor
from inspector.feedback.models import Vote
from inspector.feedback.queries import NO_FILTERS, ORDER, VoteFilters, VoteRow, Votes, row_of

MAX_NEW = 50
"""New votes of one poll; `more` has the page ask again at once."""
MAX_EXCLUDED = 200
"""Ids of 36 characters in an address."""
# A vote's time is set by its host's clock before it is stored, so a vote may be stored after a
# newer one. Votes this young are queried again, without those already sent.
OVERLAP = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class NewVotes:
    newest: str
    """The cursor to ask from next."""
    exclude: tuple[UUID, ...]
    """Shown already, and so young that they would be found again."""
    rows: tuple[VoteRow, ...] = ()
    """Newest first."""
    superseded: tuple[UUID, ...] = ()
    """Superseded votes: their users voted again meanwhile."""
    more: bool = False


def no_new_votes(rows: Iterable[VoteRow], now: datetime) -> NewVotes:
    """Return the state of polling for a page that shows these rows."""
    exclude = tuple(row.id for row in rows if row.created_at >= now - OVERLAP)
    return NewVotes(str(Cursor(now, UUID(int=0))), exclude)


def new_votes(
    votes: Votes, after: str, exclude: Iterable[UUID], filters: VoteFilters = NO_FILTERS
) -> NewVotes:
    """Votes that came after a cursor, but for those in ``exclude``, which the page shows already;
    and which shown ones were replaced. Raises ``BadCursor``.
    """
    cursor, shown_ids = Cursor.parse(after), [*exclude][:MAX_EXCLUDED]
    since = cursor.at - OVERLAP
    young = votes.filtered(filters).filter(created_at__gte=since).exclude(pk__in=shown_ids)
    found = list(young.order_by(*ORDER.oldest_first)[: MAX_NEW + 1])
    page = found[:MAX_NEW]
    newest = max([cursor.at, *(vote.created_at for vote in page)])
    start, sent_ids = _already_sent(
        votes, [*shown_ids, *(vote.pk for vote in page)], newest - OVERLAP
    )
    return NewVotes(
        newest=str(Cursor(start + OVERLAP, cursor.id)),
        exclude=sent_ids,
        rows=tuple(map(row_of, reversed(page))),
        superseded=_superseded(votes, since),
        more=len(found) > MAX_NEW,
    )


def _already_sent(
    votes: Votes, ids: list[UUID], start: datetime
) -> tuple[datetime, tuple[UUID, ...]]:
    """Return the time to continue polling from, and the votes since then that were sent already.

    No more than ``MAX_EXCLUDED`` votes can be named: in a burst polling continues after older ones,
    and a vote among them that is stored late is missed.
    """
    again = votes.live().filter(pk__in=ids, created_at__gte=start).order_by(*ORDER.newest_first)
    sent = list(again.values_list("created_at", "pk")[: MAX_EXCLUDED + 1])
    if len(sent) > MAX_EXCLUDED:
        start = sent[MAX_EXCLUDED][0] + timedelta(microseconds=1)
    return start, tuple(pk for created_at, pk in sent if created_at >= start)


def live_rows(votes: Votes, ids: Iterable[UUID]) -> tuple[VoteRow, ...]:
    """Return the live votes among them, newest first."""
    found = votes.live().filter(pk__in=[*ids][:MAX_EXCLUDED])
    return tuple(map(row_of, found.order_by(*ORDER.newest_first)))


def _superseded(votes: Votes, since: datetime) -> tuple[UUID, ...]:
    young = votes.live().filter(created_at__gte=since).order_by("-created_at")
    tokens = list(young.values_list("token_sha256", flat=True)[:MAX_EXCLUDED])
    gone = Vote.objects.filter(team__in=votes.team_ids, token_sha256__in=tokens)
    return tuple(gone.filter(superseded_at__gte=since).values_list("pk", flat=True)[:MAX_EXCLUDED])
