"""Loads inspected captures of any team, for the app that sends them to a collector."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from inspector.archive import readouts
from inspector.archive.models import Capture, Inspection
from inspector.core.analysis import Analysis


@dataclass(frozen=True, slots=True)
class InspectedCapture:
    """A capture and its inspection; ``analysis`` is None unless asked for and loadable."""

    id: UUID
    team: str
    """Slug of the team."""
    called_at: datetime
    started_at: datetime | None
    inspection: Inspection
    analysis: Analysis | None


def inspected_captures(ids: Collection[UUID], with_analysis: bool) -> Iterator[InspectedCapture]:
    """In no order; captures that are gone are left out."""
    # Of a deleted capture the row may be there, and nothing of what was in it.
    rows = Capture.objects.filter(pk__in=ids, inspection__isnull=False)
    related = ("document",) if with_analysis else ()
    for row in rows.select_related("inspection", "team", *related):
        yield InspectedCapture(
            id=row.pk,
            team=row.team.slug,
            called_at=row.called_at,
            started_at=row.started_at,
            inspection=row.inspection,
            analysis=_analysis_of(row) if with_analysis else None,
        )


def _analysis_of(row: Capture) -> Analysis | None:
    stored = readouts.load(bytes(row.document.readout))
    return stored.analysis if stored else None
