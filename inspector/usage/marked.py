"""Marks as they are told: without the captures that were deleted since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inspector.archive import arrived
from inspector.usage.changes import Side
from inspector.usage.models import Mark
from inspector.usage.periods import Period


@dataclass(frozen=True, slots=True)
class Marked:
    """One change that the watch found; words as in ``models.Mark``."""

    subject: str
    direction: str
    vendor: str | None
    model: str | None
    what: str | None
    is_switch: bool
    replaces: str | None
    streamed: bool | None
    start: datetime
    at: datetime
    before: Side
    since: Side
    test: str
    captures: tuple[UUID, ...]


def marked(team_ids: Collection[int], period: Period, most: int) -> tuple[Marked, ...]:
    """Of changes that began in the period; newest first, and at most so many."""
    found = Mark.objects.filter(
        team__in=team_ids, start__gte=period.start, start__lt=period.end
    ).order_by("-start", "-id")
    rows = list(found[:most])
    there = arrived.still_there([UUID(id) for mark in rows for id in mark.captures])
    return tuple(_marked(mark, there) for mark in rows)


def _marked(mark: Mark, there: Collection[UUID]) -> Marked:
    return Marked(
        subject=mark.subject,
        direction=mark.direction,
        vendor=mark.vendor,
        model=mark.model,
        what=mark.what,
        is_switch=mark.is_switch,
        replaces=mark.replaces,
        streamed=mark.streamed,
        start=mark.start,
        at=mark.at,
        before=Side(mark.before_captures, mark.before_value),
        since=Side(mark.since_captures, mark.since_value),
        test=mark.test,
        captures=tuple(id for id in map(UUID, mark.captures) if id in there),
    )
