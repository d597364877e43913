"""Lists stored drift events, without captures deleted since."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

import msgspec

from inspector.archive.inspection import by_call
from inspector.core.decoded_types import built
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
    """Return the ``limit`` newest events that began in the period, newest first."""
    found = DriftEvent.objects.filter(
        team__in=principal.team_ids(READ), start__gte=period.start, start__lt=period.end
    ).order_by("-start", "-id")
    rows = [msgspec.convert(e, built(DriftEventRow), from_attributes=True) for e in found[:limit]]
    existing = by_call.existing_ids([each for row in rows for each in row.captures])
    return tuple(_with_captures(row, existing) for row in rows)


def _with_captures(row: DriftEventRow, existing: Collection[UUID]) -> DriftEventRow:
    return replace(row, captures=tuple(each for each in row.captures if each in existing))
