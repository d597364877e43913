"""Releases captures from quarantine by hand, with their attempts reset."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from inspector.archive.annotation import capture_exists
from inspector.archive.inspection.doorbell import doorbell
from inspector.archive.models import Capture, State
from inspector.teams.access import INGEST, Principal


def requeue_quarantined(principal: Principal, capture_id: UUID) -> bool:
    """Return False where there is no such capture. One that is not in quarantine is left as it is,
    and one without a body, of which nothing is left to read.
    """
    captures = Capture.objects.filter(id=capture_id, team__in=principal.team_ids(INGEST))
    with transaction.atomic():
        kept = captures.filter(state=State.QUARANTINED, body_deleted_at__isnull=True)
        freed = kept.update(
            state=State.RECEIVED, attempt=0, due_at=Now(), lease_token=None, quarantine_reason=None
        )
        if freed:
            # A worker that looked before the commit would find nothing.
            transaction.on_commit(doorbell.ring)
    return bool(freed) or capture_exists(principal, capture_id)
