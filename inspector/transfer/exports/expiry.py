"""Takes the files of exports away: when they expire, and what is left of those that were withdrawn
or failed, a few megabytes at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from django.db.models import Exists, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from inspector.transfer.models import (
    WITHOUT_FILE,
    Export,
    ExportedCapture,
    ExportPiece,
    ExportState,
)

ROW_KEPT = timedelta(days=30)
"""How long an export is listed after its end."""
PIECES_AT_ONCE = 16
CAPTURES_AT_ONCE = 2_000


def erase_step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Deletes a bounded part of what is over; False where nothing is."""
    if stop():
        return False
    finished = Export.objects.filter(state=ExportState.FINISHED, expires_at__lte=Now())
    # Most rounds find nothing; only the others take the lock that writers need.
    if finished.exists():
        finished.update(state=ExportState.EXPIRED)
    over = Export.objects.filter(state__in=WITHOUT_FILE)
    if _some_deleted(over, ExportPiece.objects.all(), PIECES_AT_ONCE):
        return True
    if _some_deleted(over, ExportedCapture.objects.all(), CAPTURES_AT_ONCE):
        return True
    old = over.filter(finished_at__lte=Now() - ROW_KEPT)
    return old.exists() and bool(old.delete()[0])


def due() -> QuerySet[Export]:
    """Exports of which ``erase_step`` deletes something."""
    pieces = ExportPiece.objects.filter(export=OuterRef("pk"))
    captures = ExportedCapture.objects.filter(export=OuterRef("pk"))
    is_left = Exists(pieces) | Exists(captures) | Q(finished_at__lte=Now() - ROW_KEPT)
    return Export.objects.filter(
        Q(state=ExportState.FINISHED, expires_at__lte=Now()) | Q(is_left, state__in=WITHOUT_FILE)
    )


def _some_deleted(over: QuerySet[Export], rows: QuerySet[Model], limit: int) -> bool:
    having = over.filter(Exists(rows.filter(export=OuterRef("pk"))))
    export_id = having.values_list("pk", flat=True).first()
    if export_id is None:
        return False
    ids = list(rows.filter(export=export_id).values_list("pk", flat=True)[:limit])
    return bool(rows.filter(pk__in=ids).delete()[0])
