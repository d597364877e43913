"""What came, told so that a narrowed list misses none: many match only once they are inspected."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.cursor import Cursor
from inspector.archive.models import PENDING, Capture, State

MOST = 100
"""Captures in one answer."""
UNFINISHED = (State.RECORDING, *PENDING)


@dataclass(frozen=True, slots=True)
class Arrivals:
    ids: tuple[UUID, ...]
    newest: str | None
    """Cursor of the newest that was looked at; None where there is none at all."""
    more: bool = False
    """There are newer ones beyond these."""


def after(captures: QuerySet[Capture], cursor: str) -> Arrivals:
    newer = captures.filter(Cursor.parse(cursor).newer()).order_by("received_at", "id")
    found = list(newer.values_list("received_at", "id")[: MOST + 1])
    if not found:
        return Arrivals((), cursor)
    kept = found[:MOST]
    return Arrivals(tuple(id for _, id in kept), str(Cursor(*kept[-1])), len(found) > MOST)


def unfinished(captures: QuerySet[Capture]) -> Arrivals:
    """The newest of them: whoever waits for more waits for them to become fewer."""
    newest = captures.order_by("-received_at", "-id").values_list("received_at", "id").first()
    if newest is None:
        return Arrivals((), None)
    waiting = captures.filter(state__in=UNFINISHED).order_by("-received_at", "-id")
    return Arrivals(tuple(waiting.values_list("id", flat=True)[:MOST]), str(Cursor(*newest)))
