"""New captures for a polling list; a filtered one misses none that match once inspected."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing.cursor import ARRIVAL, Cursor, Order
from inspector.archive.models import PENDING, Capture, State

MAX_NEW_CAPTURES = 100
"""New captures of one answer; `more` says that the next poll brings others."""
UNFINISHED = (State.RECORDING, *PENDING)


@dataclass(frozen=True, slots=True)
class NewCaptures:
    ids: tuple[UUID, ...]
    newest: str | None
    """Cursor of the newest capture that was considered; None where there are no captures."""
    more: bool = False
    """There are more new captures than were returned."""


def captures_after(captures: QuerySet[Capture], cursor: str) -> NewCaptures:
    newer = captures.filter(Cursor.parse(cursor).newer(ARRIVAL)).order_by(*ARRIVAL.oldest_first)
    found = list(newer.values_list("received_at", "id")[: MAX_NEW_CAPTURES + 1])
    if not found:
        return NewCaptures((), cursor)
    page = found[:MAX_NEW_CAPTURES]
    return NewCaptures(
        tuple(capture_id for _, capture_id in page),
        str(Cursor(*page[-1])),
        len(found) > MAX_NEW_CAPTURES,
    )


def unfinished_captures(captures: QuerySet[Capture]) -> NewCaptures:
    """Return the uninspected captures, newest first, for which a client waits before it asks on."""
    newest = newest_arrival(captures)
    if newest is None:
        return NewCaptures((), None)
    waiting = captures.filter(state__in=UNFINISHED).order_by(*Order().newest_first)
    return NewCaptures(tuple(waiting.values_list("id", flat=True)[:MAX_NEW_CAPTURES]), newest)


def newest_arrival(captures: QuerySet[Capture]) -> str | None:
    """Return the cursor of the capture that came last; None where there are none."""
    rows = captures.order_by(*ARRIVAL.newest_first).values_list("received_at", "id")
    newest = rows.first()
    return None if newest is None else str(Cursor(*newest))
