"""Out of quarantine by hand: as if nobody had tried yet."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now

from inspector.archive.annotation import is_there
from inspector.archive.doorbell import doorbell
from inspector.archive.models import Capture, State
from inspector.teams.access import INGEST, Principal


def retry(principal: Principal, id: UUID) -> bool:
    """False where there is no such capture. One that is not in quarantine is left as it is."""
    captures = Capture.objects.filter(id=id, team__in=principal.team_ids(INGEST))
    with transaction.atomic():
        freed = captures.filter(state=State.QUARANTINED).update(
            state=State.RECEIVED,
            attempt=0,
            due_at=Now(),
            lease_token=None,
            quarantine_reason=None,
        )
        if freed:
            transaction.on_commit(doorbell.ring)
    return bool(freed) or is_there(principal, id)
