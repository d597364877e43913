"""Lists stored drift events, without captures deleted since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import msgspec

from inspector.archive.inspection import by_arrival
from inspector.teams.access import READ, Principal
from inspector.usage.drift.changes import DriftTest
from inspector.usage.models import DriftEvent
from inspector.usage.rollup.periods import Period


@dataclass(frozen=True, slots=True)
class DriftEventRow:
    """One drift event; subject and direction as in ``DriftEvent``."""

    subject: str
    direction: str
    vendor: str | None
    model: str | None
    value: str | None
    replaces_value: bool
    replaced_value: str | None
    streamed: bool | None
    start: datetime
    at: datetime
    test: DriftTest
    replaced_test: DriftTest | None
    captures: tuple[UUID, ...]


def drift_events(principal: Principal, period: Period, limit: int) -> tuple[DriftEventRow, ...]:
    """The ``limit`` newest events that began in the period, newest first."""
    found = DriftEvent.objects.filter(
        team__in=principal.team_ids(READ), start__gte=period.start, start__lt=period.end
    ).order_by("-start", "-id")
    rows = list(found[:limit])
    existing = by_arrival.existing_ids(
        [UUID(capture_id) for event in rows for capture_id in event.captures]
    )
    return tuple(_row_of(event, existing) for event in rows)


def _row_of(event: DriftEvent, existing: Collection[UUID]) -> DriftEventRow:
    return DriftEventRow(
        subject=event.subject,
        direction=event.direction,
        vendor=event.vendor,
        model=event.model,
        value=event.value,
        replaces_value=event.replaces_value,
        replaced_value=event.replaced_value,
        streamed=event.streamed,
        start=event.start,
        at=event.at,
        test=msgspec.convert(event.test, DriftTest),
        replaced_test=msgspec.convert(event.replaced_test, DriftTest | None),
        captures=tuple(
            capture_id for capture_id in map(UUID, event.captures) if capture_id in existing
        ),
    )
