"""Lists stored drift events, without captures deleted since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inspector.archive.inspection import by_arrival
from inspector.teams.access import READ, Principal
from inspector.usage.drift.changes import ChangeSide
from inspector.usage.models import DriftEvent
from inspector.usage.rollup.periods import Period


@dataclass(frozen=True, slots=True)
class DriftEventRow:
    """One drift event; subject and direction as in ``DriftEvent``."""

    subject: str
    direction: str
    vendor: str | None
    model: str | None
    what: str | None
    replaces_value: bool
    replaces: str | None
    streamed: bool | None
    start: datetime
    at: datetime
    before: ChangeSide
    since: ChangeSide
    test: str
    captures: tuple[UUID, ...]


def drift_events(principal: Principal, period: Period, most: int) -> tuple[DriftEventRow, ...]:
    """The ``most`` newest events that began in the period, newest first."""
    found = DriftEvent.objects.filter(
        team__in=principal.team_ids(READ), start__gte=period.start, start__lt=period.end
    ).order_by("-start", "-id")
    rows = list(found[:most])
    there = by_arrival.existing_ids(
        [UUID(capture_id) for mark in rows for capture_id in mark.captures]
    )
    return tuple(_row_of(mark, there) for mark in rows)


def _row_of(mark: DriftEvent, there: Collection[UUID]) -> DriftEventRow:
    return DriftEventRow(
        subject=mark.subject,
        direction=mark.direction,
        vendor=mark.vendor,
        model=mark.model,
        what=mark.what,
        replaces_value=mark.replaces_value,
        replaces=mark.replaces,
        streamed=mark.streamed,
        start=mark.start,
        at=mark.at,
        before=ChangeSide(mark.before_captures, mark.before_value),
        since=ChangeSide(mark.since_captures, mark.since_value),
        test=mark.test,
        captures=tuple(
            capture_id for capture_id in map(UUID, mark.captures) if capture_id in there
        ),
    )
