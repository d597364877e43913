"""Takes the files of exports away: when they expire, and what is left of those that were withdrawn
or failed, a few megabytes at a time.
"""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from inspector.transfer.exports.exports import EXPORTING, FILE_KEPT
from inspector.transfer.models import ExportedCapture, ExportPiece
from inspector.work.models import WorkState
from inspector.work.queries import WorkOfKind

WITHOUT_FILE = (WorkState.FAILED, WorkState.EXPIRED, WorkState.WITHDRAWN)
PIECES_AT_ONCE = 16
"""Pieces of a megabyte at most: on SQLite nobody else writes meanwhile."""
CAPTURES_AT_ONCE = 2_000
"""Narrow rows."""


def erase_step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Delete a bounded part of what is over; False where nothing is."""
    if stop():
        return False
    # Most rounds find nothing; only the others take the lock that writers need.
    if _expired().exists():
        _expired().update(state=WorkState.EXPIRED)
    pieces, captures = _left()
    return _some_deleted(pieces, PIECES_AT_ONCE) or _some_deleted(captures, CAPTURES_AT_ONCE)


def due() -> tuple[QuerySet[Any], ...]:
    """Export that ``erase_step`` ends or deletes."""
    return (_expired(), *_left())


def _expired() -> QuerySet[Any]:
    files = WorkOfKind(EXPORTING, None).rows().filter(state=WorkState.FINISHED)
    return files.filter(finished_at__lte=Now() - FILE_KEPT)


def _left() -> tuple[QuerySet[ExportPiece], QuerySet[ExportedCapture]]:
    return (
        ExportPiece.objects.filter(export__state__in=WITHOUT_FILE),
        ExportedCapture.objects.filter(export__state__in=WITHOUT_FILE),
    )


def _some_deleted(rows: QuerySet[Any], limit: int) -> bool:
    ids = list(rows.values_list("pk", flat=True)[:limit])
    return bool(ids) and bool(rows.filter(pk__in=ids).delete()[0])
