"""Puts captures into the outbox, in the transaction that stores their first inspection: what is
inspected goes out, what goes out was inspected.
"""

from collections.abc import Sequence

from django.conf import settings

from inspector.archive.events import ProjectionChange
from inspector.archive.models import Capture
from inspector.core.formats import dialects
from inspector.database import bulk
from inspector.telemetry.models import OutboxSpan


def inspected(changes: Sequence[ProjectionChange]) -> None:
    """Note captures that were never inspected before. What telemetry tells is not told again: a
    collector that sends here would get its own spans back, without end.
    """
    if not settings.OTLP_ENDPOINT:
        return
    new = [change.after.inspection for change in changes if not change.before]
    wanted = [each for each in new if not _is_told(each.dialect)]
    bulk.bulk_insert([OutboxSpan(capture_id=each.capture_id) for each in wanted])


def deleted(captures: Sequence[Capture]) -> None:
    OutboxSpan.objects.filter(capture__in=captures).delete()


def _is_told(slug: str | None) -> bool:
    dialect = dialects().get(slug or "")
    return dialect is not None and dialect.is_told
