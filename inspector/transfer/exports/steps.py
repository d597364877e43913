"""The kind of work that writes exports: what comes next, which captures the file holds and how far
it is are stored in one transaction, so that nothing stands in it twice.
"""

import logging
from datetime import timedelta
from typing import Any

import msgspec
from django.db import transaction

from inspector.archive.queries import Captures
from inspector.archive.storage import disk_space
from inspector.logs.json_log import fields
from inspector.transfer.exports import walk
from inspector.transfer.exports.exports import (
    EXPORTING,
    ExportResult,
    filters_of,
    result_of,
    task_of,
)
from inspector.transfer.exports.forms import FORMS, ExportSource, Form
from inspector.transfer.exports.pieces import store_pieces
from inspector.transfer.exports.walk import ExportGroup
from inspector.transfer.exports.written import Pieces, Written
from inspector.transfer.models import ExportedCapture
from inspector.usage.rollup.queries import TeamSums
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.run import Kind

ROW_KEPT = timedelta(days=30)
"""How long an export is listed after its end."""
UNKNOWN_QUERY, UNKNOWN_FORM = "query_not_understood", "format_not_known"

_LOGGER = logging.getLogger(__name__)


def step(export: Leased) -> bool:
    row = export.row
    form, filters = FORMS.get(row.subject), filters_of(task_of(row.request), row.created_at)
    if form is None or filters is None:
        export.end(WorkState.FAILED, UNKNOWN_FORM if form is None else UNKNOWN_QUERY)
        return False
    disk_space.require_space()
    written = result_of(row.result).written
    if written is None:
        return _begin(export, form)
    teams = (export.team_id,)
    source = ExportSource(Captures(teams), TeamSums(teams))
    group = walk.next_group(source, form, filters, row.cursor, written)
    if group is None:
        return _finish(export, form, written)
    return _store(export, source, written, group)


def _begin(export: Leased, form: Form[Any]) -> bool:
    pieces, written = walk.begun(form)
    with transaction.atomic():
        result = ExportResult(written=written)
        return _advance(export, Written.nothing(form.parts), pieces, result)


def _store(export: Leased, source: ExportSource, written: Written, group: ExportGroup) -> bool:
    with transaction.atomic():
        # Whoever deletes or redacts one meanwhile waits here, and then finds it in this export.
        if not source.captures.lock(group.captures):
            # Read again: one of them was deleted or redacted since it was read.
            return True
        skipped = result_of(export.row.result).skipped + group.skipped
        done = len(group.captures) + group.skipped
        result = ExportResult(skipped, group.written)
        if not _advance(export, written, group.pieces, result, done, cursor=group.cursor):
            return False
        ExportedCapture.objects.bulk_create(
            ExportedCapture(export_id=export.row.pk, capture_id=capture_id)
            for capture_id in group.captures
        )
    return True


def _finish(export: Leased, form: Form[Any], before: Written) -> bool:
    pieces, written = walk.ended(form, before)
    with transaction.atomic():
        result = msgspec.structs.replace(result_of(export.row.result), written=written)
        if _advance(export, before, pieces, result):
            export.end()
    row = export.row
    _LOGGER.info("an export is finished", extra=fields(export=row.pk, team=export.team_id))
    return False


def _advance(
    export: Leased,
    before: Written,
    pieces: Pieces,
    result: ExportResult,
    done: int = 0,
    **columns: Any,
) -> bool:
    """Store what was written, if the lease is still ours."""
    if not export.advance(done, result=msgspec.to_builtins(result), **columns):
        return False
    store_pieces(export.row.pk, before.lengths, pieces)
    return True


KIND = Kind(EXPORTING, step, kept=ROW_KEPT)
