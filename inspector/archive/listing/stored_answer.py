"""What a capture's request was answered, by as few columns as are needed to send it again."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from inspector.archive.listing.capture_values import failed_version_of, inspection_of
from inspector.archive.models import Capture, State
from inspector.archive.storage import evidence
from inspector.core.wire.exchange import Exchange

_COLUMNS = (
    "state",
    "byte_length",
    "evidence_form",
    "content_type",
    "status_code",
    "outcome",
    "dialect_hint",
    "inspection__dialect",
    "inspection__analysis_version",
    "inspection__tried_version",
    "evidence__body",
    "evidence__reads",
    "evidence__surroundings",
)


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    capture: UUID
    byte_length: int
    dialect: str | None
    """As it was read; None where it was not."""
    is_survived: bool
    """A worker has read it without dying, in the newest version that was tried."""
    exchange: Exchange


def stored_answer(captures: QuerySet[Capture], capture_id: UUID) -> StoredAnswer | None:
    """Returns None if there is no answer, if the capture is still recorded, or if a deletion has
    taken it.
    """
    rows = captures.filter(id=capture_id).select_related("inspection", "evidence")
    capture = rows.only(*_COLUMNS).first()
    if capture is None or capture.state == State.RECORDING:
        return None
    stored, inspection = getattr(capture, "evidence", None), inspection_of(capture)
    if stored is None:
        return None
    return StoredAnswer(
        capture=capture.pk,
        byte_length=capture.byte_length,
        dialect=inspection.dialect if inspection else None,
        is_survived=capture.state == State.INSPECTED and not failed_version_of(inspection),
        exchange=evidence.unpack(capture, stored),
    )
