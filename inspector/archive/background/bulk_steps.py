"""The kind of work that carries out bulk jobs: changes the next captures, and stores how far it
is in the transaction that changes them.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import UUID

import msgspec
from django.db import transaction
from msgspec.structs import replace

from inspector.archive import deletion, rewriting
from inspector.archive.annotation import change_tag
from inspector.archive.background import deletion_pace, redacting
from inspector.archive.background.bulk_jobs import (
    BULK,
    BulkDeletionSums,
    BulkTask,
    filters_of,
    result_of,
    task_of,
)
from inspector.archive.background.deletion_pace import DeletionPace
from inspector.archive.background.redacting import RedactedCaptures
from inspector.archive.models import BulkChange, BulkKind, Capture
from inspector.archive.queries import Captures
from inspector.archive.rewriting import LeftAsItIs, Outcome
from inspector.logs.json_log import fields
from inspector.work.leases import Leased
from inspector.work.models import WorkState
from inspector.work.run import Kind, failed

STEP_CAPTURES = 200
"""Changed in one transaction, which keeps their rows locked."""
DELETED_CAPTURES = deletion_pace.MOST
"""Deleted in one transaction at most."""
KEPT = timedelta(days=30)
"""How long a finished job can be undone."""
UNKNOWN_QUERY = "query_not_understood"

_PACE = DeletionPace()
_LOGGER = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BulkSlice:
    """The next captures of a job. ``cursor`` is behind the last of them."""

    ids: Sequence[UUID]
    cursor: str | None


def step(job: Leased) -> bool:
    task = task_of(job.row.request)
    found = _next_slice(job, task)
    if found is None:
        job.end(WorkState.FAILED, UNKNOWN_QUERY)
    elif not found.ids:
        job.end()
        _LOGGER.info("a bulk job is finished", extra=fields(job=job.row.pk, team=job.team_id))
    else:
        return CHANGES[task.action](job, task, found)
    return False


def give_up(job: Leased, error: Exception) -> None:
    """Redact it. A capture that cannot be redacted is no reason to leave all others as they are."""
    task = task_of(job.row.request)
    found = _next_slice(job, task) if task.action is BulkKind.REDACT else None
    if found is None or not found.ids:
        failed(job, error)
    else:
        _add_redacted(job, found, RedactedCaptures(left=1))


def _next_slice(job: Leased, task: BulkTask) -> BulkSlice | None:
    """Return the next captures of the job; None if this release does not understand its query."""
    if job.row.undoes_id is not None:
        return _next_changes(job, job.row.undoes_id)
    filters = filters_of(task, job.row.created_at)
    if filters is None:
        return None
    captures = Captures((job.team_id,))
    found, cursor = captures.ids_before(job.row.cursor, _most(job, task), filters)
    return BulkSlice(found, cursor)


def _most(job: Leased, task: BulkTask) -> int:
    if task.action is BulkKind.REDACT:
        # Each is read anew, and stored with how far the job is.
        return 1
    if task.action is not BulkKind.DELETE:
        return STEP_CAPTURES
    # Never more than were confirmed, even if others have come to match since.
    return min(_PACE.size(DELETED_CAPTURES), (job.row.total or 0) - job.row.done)


def _next_changes(job: Leased, undone: int) -> BulkSlice:
    """``cursor`` is the id of a change, here."""
    behind = int(job.row.cursor or 0)
    rows = BulkChange.objects.filter(job=undone, pk__gt=behind).order_by("pk")
    found = list(rows.values_list("pk", "capture")[:STEP_CAPTURES])
    return BulkSlice([each for _, each in found], str(found[-1][0]) if found else None)


def _change(job: Leased, task: BulkTask, found: BulkSlice) -> bool:
    with transaction.atomic():
        if not job.renew():
            return False
        theirs = Capture.objects.filter(pk__in=_to_change(job, found.ids), team=job.team_id)
        result = change_tag(theirs, job.row.subject, add=task.action is BulkKind.TAG)
        BulkChange.objects.bulk_create(
            BulkChange(job_id=job.row.pk, capture_id=capture_id) for capture_id in result.changed
        )
        full = result_of(job.row.result).full + result.full
        return _advance(job, found, len(result.changed), full=full)


def _delete(job: Leased, task: BulkTask, found: BulkSlice) -> bool:
    with _PACE.transaction(len(found.ids)), transaction.atomic():
        if not job.renew():
            return False
        gone = deletion.delete_all(job.team_id, found.ids, job.row.requested_by)
        sums = result_of(job.row.result).deleted or BulkDeletionSums()
        _advance(job, found, len(gone.ids), deleted=sums.and_of(gone))
    _PACE.rest()
    return True


def _redact(job: Leased, task: BulkTask, found: BulkSlice) -> bool:
    [capture_id] = found.ids

    def noted(outcome: Outcome) -> bool:
        return _add_redacted(job, found, redacting.sums_of(outcome))

    theirs = Capture.objects.filter(team=job.team_id)
    finder = redacting.named_by(task.rules)
    return rewriting.rewrite(theirs, capture_id, finder, noted) is not LeftAsItIs.REFUSED


def _add_redacted(job: Leased, found: BulkSlice, more: RedactedCaptures) -> bool:
    sums = result_of(job.row.result).redacted or RedactedCaptures()
    return _advance(job, found, more.captures, redacted=sums.and_of(more))


def _to_change(job: Leased, ids: Sequence[UUID]) -> Sequence[UUID]:
    """Return the captures to undo whose tag nobody has changed since."""
    if job.row.undoes_id is None:
        return ids
    # Locked first: whoever changes tags takes the notes of jobs away under this lock.
    list(Capture.objects.filter(pk__in=ids).order_by("id").only("id").select_for_update())
    rows = BulkChange.objects.filter(job=job.row.undoes_id, capture__in=ids)
    return list(rows.values_list("capture", flat=True))


def _advance(job: Leased, found: BulkSlice, changed: int, **members: Any) -> bool:
    before = result_of(job.row.result)
    result = replace(before, changed=before.changed + changed, **members)
    return job.advance(len(found.ids), cursor=found.cursor, result=msgspec.to_builtins(result))


CHANGES: Mapping[BulkKind, Callable[[Leased, BulkTask, BulkSlice], bool]] = {
    BulkKind.TAG: _change,
    BulkKind.UNTAG: _change,
    BulkKind.DELETE: _delete,
    BulkKind.REDACT: _redact,
}
"""Each is False where the job is another process's by now, or was stopped."""

KIND = Kind(BULK, step, give_up, kept=KEPT)
