"""Carries out exports: claims one, writes captures for up to a second, stores how far it is.

What is written, which captures it holds and the position are stored in one transaction: a step that
is cut off is repeated, and nothing stands in the file twice.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now

from inspector.archive.inspection import leases
from inspector.archive.inspection.claims import PROCESS_ENDED_REASON
from inspector.archive.queries import Captures
from inspector.archive.storage import disk_space
from inspector.database.portability import UNAVAILABLE
from inspector.logs.json_log import fields
from inspector.transfer.exports import walk
from inspector.transfer.exports.exports import FILE_KEPT, filters_of, written_of
from inspector.transfer.exports.forms import FORMS, ExportSource, Form
from inspector.transfer.exports.pieces import store_pieces
from inspector.transfer.exports.walk import ExportGroup
from inspector.transfer.exports.written import Pieces, Written
from inspector.transfer.models import Export, ExportedCapture, ExportState
from inspector.usage.rollup.queries import TeamSums

STEP_SECONDS = 1.0
ERROR_CHARACTERS = 200
UNKNOWN_QUERY, UNKNOWN_FORM = "query_not_understood", "format_not_known"

_LOGGER = logging.getLogger(__name__)


def step(stop: Callable[[], bool] = lambda: False) -> bool:
    """Works on the export that has waited longest, for up to a second. False where none is due."""
    export = None if stop() else _claim()
    if export is None:
        return False
    if export.attempt > settings.MAX_ATTEMPTS:
        _fail(export, PROCESS_ENDED_REASON.format(settings.MAX_ATTEMPTS))
        return True
    try:
        _work(export, stop)
    except UNAVAILABLE as error:
        # No fault of the export. Where the disk is full it waits; otherwise nothing can be noted
        # now, and it is repeated when the lease ends.
        if not disk_space.is_disk_full(error):
            raise
        _wait(export)
    except Exception as error:
        _LOGGER.exception("a step of an export failed", extra=_log_fields(export))
        _failed(export, error)
    return True


def due() -> QuerySet[Export]:
    open_now = Export.objects.filter(state=ExportState.OPEN, due_at__lte=Now())
    return open_now.order_by("due_at", "id")


def _claim() -> Export | None:
    return leases.take_first(Export.objects.all(), due(), attempt=leases.counted_attempt())


def _work(export: Export, stop: Callable[[], bool]) -> None:
    form, filters = FORMS.get(export.form), filters_of(export)
    if form is None or filters is None:
        _fail(export, UNKNOWN_FORM if form is None else UNKNOWN_QUERY)
        return
    source = ExportSource(Captures((export.team_id,)), TeamSums((export.team_id,)))
    end = time.monotonic() + STEP_SECONDS
    if export.written is None and not _begin(export, form):
        return
    while not stop() and time.monotonic() < end:
        disk_space.require_space()
        group = walk.next_group(source, form, filters, export.cursor, written_of(export))
        if group is None:
            _finish(export, form)
            return
        if not _store(export, source, group):
            return
    _leased(export).update(lease_token=None, due_at=Now())


def _begin(export: Export, form: Form[Any]) -> bool:
    pieces, written = walk.begun(form)
    with transaction.atomic():
        return _advance(export, Written.nothing(form.parts), pieces, written)


def _store(export: Export, source: ExportSource, group: ExportGroup) -> bool:
    """False where the export is another process's by now, or ended."""
    with transaction.atomic():
        # Whoever deletes or redacts one meanwhile waits here, and then finds it in this export.
        if not source.captures.lock(group.captures):
            # Read again: one of them was deleted or redacted since it was read.
            return True
        if not _advance(
            export,
            written_of(export),
            group.pieces,
            group.written,
            cursor=group.cursor,
            done=F("done") + len(group.captures) + group.skipped,
            skipped=F("skipped") + group.skipped,
        ):
            return False
        ExportedCapture.objects.bulk_create(
            ExportedCapture(export=export, capture_id=capture_id) for capture_id in group.captures
        )
    export.cursor = group.cursor
    return True


def _finish(export: Export, form: Form[Any]) -> None:
    before = written_of(export)
    pieces, written = walk.ended(form, before)
    with transaction.atomic():
        if _advance(export, before, pieces, written):
            _leased(export).update(
                state=ExportState.FINISHED,
                finished_at=Now(),
                expires_at=Now() + FILE_KEPT,
                lease_token=None,
            )
    _LOGGER.info("an export is finished", extra=_log_fields(export))


def _advance(
    export: Export, before: Written, pieces: Pieces, written: Written, **columns: Any
) -> bool:
    """Stores what was written, if the lease is still ours."""
    stored = msgspec.to_builtins(written)
    # A step that got somewhere is no failed attempt.
    columns |= {"written": stored, "attempt": 0, "due_at": leases.lease_end()}
    if not _leased(export).update(**columns):
        return False
    store_pieces(export, before.lengths, pieces)
    export.written, export.attempt = stored, 0
    return True


def _failed(export: Export, error: Exception) -> None:
    if export.attempt >= settings.MAX_ATTEMPTS:
        _fail(export, type(error).__name__)
        return
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[max(export.attempt - 1, 0)])
    _leased(export).update(lease_token=None, due_at=Now() + wait)


def _wait(export: Export) -> None:
    wait = timedelta(seconds=settings.RETRY_WAITS_SECONDS[-1])
    _leased(export).update(lease_token=None, due_at=Now() + wait, attempt=0)


def _fail(export: Export, error: str) -> None:
    _leased(export).update(
        state=ExportState.FAILED,
        error=error[:ERROR_CHARACTERS],
        finished_at=Now(),
        lease_token=None,
    )


def _leased(export: Export) -> QuerySet[Export]:
    return Export.objects.filter(
        pk=export.pk, lease_token=export.lease_token, state=ExportState.OPEN
    )


def _log_fields(export: Export) -> dict[str, Any]:
    return fields(export=export.pk, team=export.team_id, attempt=export.attempt)
