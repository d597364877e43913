"""The projector that puts captures into the outbox (``settings.PROJECTORS``), in the transaction
that stores their first inspection: what is inspected goes out, what goes out was inspected.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.conf import settings

from inspector.archive.inspection.projection_store import ProjectionChange
from inspector.core.formats import dialects
from inspector.database import bulk
from inspector.telemetry.models import OutboxSpan


def note_inspected(changes: Sequence[ProjectionChange]) -> None:
    """Notes captures that were never inspected before. What telemetry tells is not told again: a
    collector that sends here would get its own spans back, without end. What is deleted does not
    go out any more.
    """
    gone = [
        change.before.inspection.capture_id
        for change in changes
        if not change.after and change.before
    ]
    OutboxSpan.objects.filter(capture__in=gone).delete()
    if not settings.OTLP_ENDPOINT:
        return
    new = [change.after.inspection for change in changes if change.after and not change.before]
    wanted = [each for each in new if not _is_told(each.dialect)]
    bulk.bulk_insert([OutboxSpan(capture_id=each.capture_id) for each in wanted])


def _is_told(slug: str | None) -> bool:
    dialect = dialects().get(slug or "")
    return dialect is not None and dialect.is_told
